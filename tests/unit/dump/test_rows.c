// SPDX-License-Identifier: GPL-2.0-or-later
#include "dump/rows.h"

#include "build_guest.h"

struct inner {
	struct dump_member is_set;
};

struct row {
	uint64_t number, address;
	bool flag;
	const char *string;
	struct dump_text text;
	struct dump_member member, negative, pointer;
	struct inner inner;
};

static const struct dump_column inner_columns[] = {
	{ .key = "is_set", DUMP_MEMBER_BOOL(inner, is_set) },
};

static const struct dump_column columns[] = {
	{ .key = "number", .title = "N", DUMP_U64(row, number) },
	{ .key = "address", .title = "AT", DUMP_HEX(row, address) },
	{ .key = "flag", DUMP_BOOL(row, flag) },
	{ .key = "string", .title = "STRING", DUMP_STRING(row, string) },
	{ .key = "text", .title = "TEXT", DUMP_TEXT(row, text) },
	{ .key = "member", .title = "MEMBER", DUMP_MEMBER(row, member) },
	{ .key = "negative", DUMP_MEMBER(row, negative) },
	{ .key = "pointer", DUMP_MEMBER_HEX(row, pointer) },
	{ .key = "inner", DUMP_OBJECT(row, inner, inner_columns) },
};

/* The text comes first, and has widths. */
static const struct dump_column fixed[] = {
	{ .key = "number", .title = "N", .place = 2, .width = 4, DUMP_U64(row, number) },
	{ .key = "text", .title = "TEXT", .place = 1, .width = -6, DUMP_TEXT(row, text) },
};

static const struct row full = { .number = 7,
				 .address = 255,
				 .flag = true,
				 .string = "a",
				 .text = { KMEM_READ_OK, "b\033" },
				 .member = { .value = 9 },
				 .negative = { .is_signed = true, .value = (uint64_t)-3 },
				 .pointer = { .value = 16 },
				 .inner.is_set.value = 1 };
static const struct row empty = { .text = { KMEM_READ_UNMAPPED, NULL },
				  .member.status = KMEM_READ_UNKNOWN,
				  .negative.status = KMEM_READ_UNKNOWN,
				  .pointer.status = KMEM_READ_TORN,
				  .inner.is_set.status = KMEM_READ_UNMAPPED };

static const char *shown(struct strbuf *out, bool as_json, const struct dump_column *of, size_t n)
{
	struct json_writer json = json_writer_to(out, JSON_COMPACT);
	struct dump_sink sink = as_json ? dump_sink_to_json(&json) : dump_sink_to_text(out, 10);
	struct dump_rows rows;

	dump_open(&sink, NULL);
	dump_rows_begin(&rows, &sink, "rows", of, n);
	dump_rows_add(&rows, &full);
	dump_rows_add(&rows, &empty);
	dump_rows_end(&rows);
	dump_close(&sink);
	return strbuf_str(out);
}

static void json_has_all_columns_with_a_key(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;

	assert_string_equal(shown(&out, true, columns, ARRAY_SIZE(columns)),
			    "{\"rows\":[{\"number\":7,\"address\":\"0xff\",\"flag\":true,"
			    "\"string\":\"a\",\"text\":\"b\\u001b\",\"member\":9,\"negative\":-3,"
			    "\"pointer\":\"0x10\",\"inner\":{\"is_set\":true}},"
			    "{\"number\":0,\"address\":\"0x0\",\"flag\":false,\"text\":null,"
			    "\"pointer\":null,\"inner\":{\"is_set\":null}}]}");
}

static void text_marks_unknown_and_unreadable_differently(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;

	assert_string_equal(shown(&out, false, columns, ARRAY_SIZE(columns)),
			    "N  AT    STRING  TEXT   MEMBER\n"
			    "7  0xff  a       b\\x1b       9\n"
			    "0  0x0   -       ?           -\n");
}

static void columns_have_their_place_and_width_in_text(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;

	assert_string_equal(shown(&out, false, fixed, ARRAY_SIZE(fixed)), "TEXT      N\n"
									  "b\\x1b     7\n"
									  "?         0\n");
}

static void fields_are_read_into_members(void **state)
{
	static const struct dump_column of_task[] = {
		{ .key = "number", DUMP_U64(row, number) },
		{ .key = "pid", DUMP_FIELD(row, member, TASK_PID) },
		{ .key = "prio", DUMP_FIELD_SIGNED(row, negative, TASK_PRIO) },
	};
	struct build_guest *g = *state;
	struct row row = { .number = 5 };

	guest_attach(g);
	dump_row_read(g->kmem, guest_pointer(g, guest_task_at(2)), of_task, ARRAY_SIZE(of_task),
		      &row);
	assert_int_equal(row.number, 5);
	assert_int_equal(row.member.value, 8);
	assert_int_equal((int64_t)row.negative.value, -2);
	dump_row_read(g->kmem, 0, of_task, ARRAY_SIZE(of_task), &row);
	assert_int_not_equal(row.member.status, KMEM_READ_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_has_all_columns_with_a_key),
		cmocka_unit_test(text_marks_unknown_and_unreadable_differently),
		cmocka_unit_test(columns_have_their_place_and_width_in_text),
		guest_test(fields_are_read_into_members),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
