// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Time as the kernel had it at its last tick: what has passed since then is in the counter of the
 * CPU, not in RAM.
 */
#include "dump/member.h"

enum {
	/* Of the timekeeper, in the static tk_core. */
	TK_ALIGNMENT = 8,
	NS_PER_SECOND = 1000000000,
	SHIFT_LIMIT = 32,
	/* A machine that is up for longer than a century is damaged. */
	CENTURY_SECONDS_LOG2 = 32,
};

struct times {
	uint64_t boot_ns;	    /* with the time asleep, as /proc/uptime */
	struct dump_member real_ns; /* since 1970 */
};

static struct error *find_timekeeper(struct kmem *kmem, uint64_t *ret)
{
	const struct kmem_field *data = &kmem->fields.at[KMEM_F_TK_DATA];
	const struct kmem_field *sequence = &kmem->fields.at[KMEM_F_TK_SEQUENCE];
	uint64_t address, skip = TK_ALIGNMENT;
	struct error *err = kmem_symbol(kmem, "tk_core", &address);

	if (err) {
		error_free(err);
		/* Since Linux 6.13. */
		err = kmem_symbol(kmem, "timekeeper_data", &address);
		if (!err && !data->known)
			err = kmem_error(KMEM_NO_FIELD, 0, "%s", data->missing);
	}
	if (err)
		return err;
	if (data->known)
		skip = data->place.offset;
	else if (sequence->known)
		skip = (sequence->place.size + TK_ALIGNMENT - 1) / TK_ALIGNMENT * TK_ALIGNMENT;
	*ret = address + skip;
	return NULL;
}

static struct error *read_times(struct kmem *kmem, struct times *ret)
{
	struct dump_member base, fine, shift, boot, real;
	struct error *err;
	uint64_t tk;

	err = kmem_fields_require(&kmem->fields, KMEM_VIEW_TIME);
	if (!err)
		err = find_timekeeper(kmem, &tk);
	if (err)
		return err;
	base = dump_read(kmem, KMEM_F_TK_MONO_BASE, tk);
	fine = dump_read(kmem, KMEM_F_TK_MONO_XTIME, tk);
	shift = dump_read(kmem, KMEM_F_TK_MONO_SHIFT, tk);
	boot = dump_read(kmem, KMEM_F_TK_OFFS_BOOT, tk);
	real = dump_read(kmem, KMEM_F_TK_OFFS_REAL, tk);
	if (base.status || fine.status || shift.status || boot.status)
		return kmem_error(KMEM_UNREAD, 0, "the timekeeper at %#llx cannot be read",
				  (unsigned long long)tk);
	if (shift.value > SHIFT_LIMIT)
		return kmem_error(KMEM_UNREAD, 0, "the timekeeper is not valid: shift %llu",
				  (unsigned long long)shift.value);
	ret->boot_ns = base.value + (fine.value >> shift.value) + boot.value;
	if (ret->boot_ns / NS_PER_SECOND >> CENTURY_SECONDS_LOG2)
		return kmem_error(KMEM_UNREAD, 0, "the timekeeper is not valid: %llu s",
				  (unsigned long long)(ret->boot_ns / NS_PER_SECOND));
	ret->real_ns = real;
	ret->real_ns.value += ret->boot_ns - boot.value;
	return NULL;
}

struct error *dump_uptime(struct kmem *kmem, const struct dump_request *request UNUSED,
			  struct dump_sink *sink)
{
	struct times times;
	struct dump_member jiffies;
	struct error *err = read_times(kmem, &times);

	if (err)
		return err;
	dump_add_u64(sink, "uptime_ns", times.boot_ns);
	dump_add_member(sink, "realtime_ns", &times.real_ns);
	jiffies = dump_read_variable(kmem, "jiffies_64", 8);
	dump_add_member(sink, "jiffies_64", &jiffies);
	dump_line(sink, "%llu.%09llu s", (unsigned long long)(times.boot_ns / NS_PER_SECOND),
		  (unsigned long long)(times.boot_ns % NS_PER_SECOND));
	return NULL;
}
