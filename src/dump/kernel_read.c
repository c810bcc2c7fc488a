// SPDX-License-Identifier: LGPL-2.1-or-later
#include "dump/member.h"

#include <ctype.h>
#include <string.h>

#include "btf/layout.h"
#include "kmem/modules.h"
#include "text/escape.h"

static struct error *unknown_field(const struct kmem *kmem, enum kmem_field_id id)
{
	const char *why = kmem->fields.at[id].missing;

	return kmem_error(KMEM_NO_FIELD, 0, "%s", why ? why : "a member is wider than a number");
}

struct error *dump_kernel_member(struct kmem *kmem, enum kmem_field_id id, uint64_t base,
				 uint64_t *ret)
{
	enum kmem_status status = kmem_get(kmem, id, base, ret);

	if (status == KMEM_READ_OK)
		return NULL;
	if (status == KMEM_READ_UNKNOWN)
		return unknown_field(kmem, id);
	return kmem_unread(status, base + kmem->fields.at[id].place.offset, "a kernel object");
}

struct error *dump_kernel_offset(const struct kmem *kmem, enum kmem_field_id id, uint64_t *ret)
{
	if (!kmem->fields.at[id].known)
		return unknown_field(kmem, id);
	*ret = kmem->fields.at[id].place.offset;
	return NULL;
}

struct error *dump_symbol_range(struct kmem *kmem, const char *from, const char *to,
				uint64_t *ret_start, uint64_t *ret_end)
{
	uint64_t start, end;
	struct error *err = kmem_symbol(kmem, from, &start);

	if (!err)
		err = kmem_symbol(kmem, to, &end);
	if (err)
		return err;
	if (end < start)
		return kmem_error(KMEM_NO_SYMBOLS, 0, "%s is before %s", to, from);
	*ret_start = start;
	*ret_end = end;
	return NULL;
}

bool dump_is_between(struct kmem *kmem, uint64_t address, const char *from, const char *to)
{
	uint64_t start = 0, end = 0;

	error_free(dump_symbol_range(kmem, from, to, &start, &end));
	return address >= start && address < end;
}

struct error *dump_kernel_members(struct kmem *kmem, uint64_t base,
				  const struct dump_wanted *wanted, size_t n)
{
	struct error *err = NULL;

	for (size_t i = 0; !err && i < n; i++) {
		if (wanted[i].what == DUMP_VALUE)
			err = dump_kernel_member(kmem, wanted[i].id, base, wanted[i].ret);
		else
			err = dump_kernel_offset(kmem, wanted[i].id, wanted[i].ret);
		if (!err && wanted[i].what == DUMP_SIZE)
			*wanted[i].ret = kmem->fields.at[wanted[i].id].place.size;
	}
	return err;
}

static bool find_enum(struct kmem *kmem, const char *type, struct btf_type *ret)
{
	const struct btf *btf = kmem_types(kmem);

	return btf && (btf_find(btf, BTF_ENUM, type, ret) || btf_find(btf, BTF_ENUM64, type, ret));
}

static const char *without_prefix(const char *name, const char *prefix)
{
	size_t n = strlen(prefix);

	return strncmp(name, prefix, n) == 0 ? name + n : name;
}

void dump_enum_name(struct kmem *kmem, const char *type, const char *prefix, uint64_t value,
		    struct strbuf *into)
{
	_cleanup_strbuf_ struct strbuf word = STRBUF_INIT;
	struct btf_type found;
	const char *name = NULL;

	if (find_enum(kmem, type, &found))
		name = btf_enum_name(kmem_types(kmem), &found, value, 32);
	if (!name) {
		strbuf_appendf(into, "number %llu", (unsigned long long)value);
		return;
	}
	for (name = without_prefix(name, prefix); *name; name++)
		strbuf_append_char(&word, (char)tolower((unsigned char)*name));
	text_escape(into, strbuf_str(&word));
}

void dump_flag_names(struct kmem *kmem, const char *type, const char *prefix, uint64_t value,
		     struct strbuf *into)
{
	struct btf_type found;
	bool known = find_enum(kmem, type, &found);
	size_t before = into->n;

	for (unsigned int bit = 0; bit < 64; bit++) {
		uint64_t flag = UINT64_C(1) << bit;
		const char *name = known ? btf_enum_name(kmem_types(kmem), &found, flag, 32) : NULL;

		if (!(value & flag))
			continue;
		if (into->n > before)
			strbuf_append_char(into, '|');
		if (name && bit < 32)
			text_escape(into, without_prefix(name, prefix));
		else
			strbuf_appendf(into, "%#llx", (unsigned long long)flag);
	}
	if (into->n == before)
		strbuf_append_char(into, '0');
}

void dump_task_name(struct kmem *kmem, uint64_t task, struct strbuf *into)
{
	char comm[64];
	int64_t pid;

	if (kmem_get_text(kmem, KMEM_F_TASK_COMM, task, comm, sizeof(comm)) != KMEM_READ_OK ||
	    kmem_field_read_signed(&kmem->fields, &kmem->space, KMEM_F_TASK_PID, task, &pid) !=
		    KMEM_READ_OK) {
		strbuf_appendf(into, "unreadable task %#llx", (unsigned long long)task);
		return;
	}
	text_escape(into, comm);
	strbuf_appendf(into, "[%lld]", (long long)pid);
}
