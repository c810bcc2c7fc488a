// SPDX-License-Identifier: LGPL-2.1-or-later
#include "dump/member.h"

#include <ctype.h>
#include <string.h>

#include "btf/layout.h"
#include "kmem/modules.h"
#include "text/terminal.h"

/* A table has a line of titles, and what is left out needs one. */
enum { LINES_OF_TABLE = 2 };

struct dump_member dump_read(struct kmem *kmem, enum kmem_field_id field, uint64_t base)
{
	struct dump_member member = { 0 };

	member.status = kmem_get(kmem, field, base, &member.value);
	return member;
}

struct dump_member dump_read_signed(struct kmem *kmem, enum kmem_field_id field, uint64_t base)
{
	struct dump_member member = { .is_signed = true };
	int64_t value = 0;

	member.status = kmem_field_read_signed(&kmem->fields, &kmem->space, field, base, &value);
	member.value = (uint64_t)value;
	return member;
}

bool dump_is_read(struct dump_sink *sink, const char *key, enum kmem_status status)
{
	if (sink->json && status != KMEM_READ_OK && status != KMEM_READ_UNKNOWN) {
		json_key(sink->json, key);
		json_write_null(sink->json);
	}
	return status == KMEM_READ_OK;
}

void dump_add_member(struct dump_sink *sink, const char *key, const struct dump_member *member)
{
	if (!dump_is_read(sink, key, member->status) || !sink->json)
		return;
	if (member->is_signed)
		json_add_i64(sink->json, key, (int64_t)member->value);
	else
		json_add_u64(sink->json, key, member->value);
}

void dump_add_member_hex(struct dump_sink *sink, const char *key, const struct dump_member *member)
{
	if (dump_is_read(sink, key, member->status))
		dump_add_hex(sink, key, member->value);
}

void dump_add_text(struct dump_sink *sink, const char *key, enum kmem_status status,
		   const char *text)
{
	if (dump_is_read(sink, key, status))
		dump_add_string(sink, key, text);
}

struct dump_member dump_read_variable(struct kmem *kmem, const char *name, unsigned int width)
{
	struct dump_member member = { .status = KMEM_READ_UNKNOWN };
	uint64_t address;
	struct error *err = kmem_symbol(kmem, name, &address);

	if (!err)
		member.status = kmem_read_uint(&kmem->space, address, width, &member.value);
	error_free(err);
	return member;
}

uint64_t dump_wanted(const struct dump_request *request, const struct dump_sink *sink)
{
	uint64_t wanted = request->max_entries;
	uint64_t fits;

	if (sink->json)
		return wanted;
	/* At least one: 0 would mean all. */
	fits = sink->lines_left > LINES_OF_TABLE ? sink->lines_left - LINES_OF_TABLE : 1;
	return wanted && wanted < fits ? wanted : fits;
}

void dump_table(struct dump_sink *sink, const struct text_table *table)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (!sink->text)
		return;
	text_table_format(table, &(struct text_look){ 0 }, &text);
	dump_lines(sink, strbuf_str(&text));
}

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
