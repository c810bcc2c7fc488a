// SPDX-License-Identifier: LGPL-2.1-or-later
#include "dump/member.h"

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
