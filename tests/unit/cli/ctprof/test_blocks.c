// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/ctprof/blocks.h"

#include "unit.h"

static const struct table_column columns[] = {
	{ .title = "NAME" },
	{ .title = "VALUE", .right = true },
	{ .title = "NOTE" },
};

static void add(struct blocks *blocks, const char *name, const char *value, const char *note)
{
	blocks_row(blocks);
	table_add(blocks->table, name);
	table_add(blocks->table, value);
	table_add(blocks->table, note);
}

static void headings_do_not_widen_the_columns(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_blocks_ struct blocks blocks;

	blocks_init(&blocks, columns, ARRAY_SIZE(columns));
	blocks_heading(&blocks, 0, "a heading that is much wider than the table");
	add(&blocks, "x", "1", "");
	add(&blocks, "yy", "1000000", "some");
	blocks_heading(&blocks, 0, "b");
	add(&blocks, "z", "2", "");
	blocks_format(&blocks, &(struct table_look){ 0 }, &text);
	assert_string_equal(strbuf_str(&text), "  NAME    VALUE  NOTE\n"
					       "a heading that is much wider than the table\n"
					       "  x           1\n"
					       "  yy    1000000  some\n"
					       "b\n"
					       "  z           2\n");
}

static void deeper_headings_are_indented(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_blocks_ struct blocks blocks;

	blocks_init(&blocks, columns, 2);
	blocks_heading(&blocks, 0, "/a");
	blocks_heading(&blocks, 1, "p");
	blocks_row(&blocks);
	table_add(blocks.table, "x");
	table_add(blocks.table, "1");
	blocks_format(&blocks, &(struct table_look){ .colour = true }, &text);
	assert_string_equal(strbuf_str(&text), "    \033[1mNAME  VALUE\033[0m\n"
					       "\033[1m/a\033[0m\n"
					       "  \033[1mp\033[0m\n"
					       "    x         1\n");
}

static void rows_without_headings_are_a_table(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_blocks_ struct blocks blocks;

	blocks_init(&blocks, columns, ARRAY_SIZE(columns));
	add(&blocks, "x", "1", "");
	blocks_format(&blocks, &(struct table_look){ 0 }, &text);
	assert_string_equal(strbuf_str(&text), "NAME  VALUE  NOTE\nx         1\n");
}

static void no_rows_are_nothing(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_blocks_ struct blocks blocks;

	blocks_init(&blocks, columns, ARRAY_SIZE(columns));
	blocks_heading(&blocks, 0, "a");
	blocks_format(&blocks, &(struct table_look){ 0 }, &text);
	assert_string_equal(strbuf_str(&text), "");
}

static void a_name_cannot_write_on_the_terminal(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_blocks_ struct blocks blocks;

	blocks_init(&blocks, columns, ARRAY_SIZE(columns));
	blocks_heading(&blocks, 0, "a\033[2J\nb");
	add(&blocks, "x\n", "1", "");
	blocks_format(&blocks, &(struct table_look){ 0 }, &text);
	assert_null(strchr(strbuf_str(&text), '\033'));
	assert_contains(strbuf_str(&text), "\na\\x1b[2J\\nb\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(headings_do_not_widen_the_columns),
		cmocka_unit_test(deeper_headings_are_indented),
		cmocka_unit_test(rows_without_headings_are_a_table),
		cmocka_unit_test(no_rows_are_nothing),
		cmocka_unit_test(a_name_cannot_write_on_the_terminal),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
