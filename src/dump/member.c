// SPDX-License-Identifier: LGPL-2.1-or-later
#include "dump/member.h"

/* A table has a line of titles, and what is left out needs one. */
enum { LINES_OF_TABLE = 2 };

struct dump_member dump_read(struct kmem *kmem, enum kmem_field_id field, uint64_t base)
{
	struct dump_member member = { 0 };

	member.status = kmem_field_read(&kmem->fields, &kmem->space, field, base, &member.value);
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

void dump_member_cell(struct table *table, const struct dump_member *member)
{
	if (member->status == KMEM_READ_UNKNOWN)
		table_add(table, NULL);
	else if (member->status)
		table_add(table, "?");
	else if (member->is_signed)
		table_addf(table, "%lld", (long long)member->value);
	else
		table_addf(table, "%llu", (unsigned long long)member->value);
}

bool dump_is_read(struct json_writer *json, const char *key, enum kmem_status status)
{
	if (status != KMEM_READ_OK && status != KMEM_READ_UNKNOWN) {
		json_key(json, key);
		json_write_null(json);
	}
	return status == KMEM_READ_OK;
}

void dump_member_json(struct json_writer *json, const char *key, const struct dump_member *member)
{
	if (!dump_is_read(json, key, member->status))
		return;
	if (member->is_signed)
		json_add_i64(json, key, (int64_t)member->value);
	else
		json_add_u64(json, key, member->value);
}

void dump_member_json_hex(struct json_writer *json, const char *key,
			  const struct dump_member *member)
{
	if (dump_is_read(json, key, member->status))
		dump_add_hex(json, key, member->value);
}

void dump_text_json(struct json_writer *json, const char *key, enum kmem_status status,
		    const char *text)
{
	if (dump_is_read(json, key, status))
		json_add_string(json, key, text);
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

void dump_table(struct dump_sink *sink, const struct table *table)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (!sink->text)
		return;
	table_format(table, &(struct table_look){ 0 }, &text);
	dump_lines(sink, strbuf_str(&text));
}
