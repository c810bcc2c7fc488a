// SPDX-License-Identifier: GPL-2.0-or-later
#include "text/table.h"

#include "unit.h"

static const struct table_column columns[] = {
	{ .title = "TID", .right = true },
	{ .title = "NAME", .shrinks = true },
	{ .title = "BYTES", .right = true },
};

static void assert_table(const struct table *table, struct table_look look, const char *expected)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

	table_format(table, &look, &s);
	assert_string_equal(strbuf_str(&s), expected);
}

static void widths_come_from_the_content(void **state UNUSED)
{
	_cleanup_(cleanup_table) struct table *table = table_new(columns, ARRAY_SIZE(columns));

	table_addf(table, "%d", 12345);
	table_add(table, "main");
	table_add(table, "1");
	table_add(table, "7");
	table_add(table, "a-long-name");
	table_add(table, "123456");
	assert_table(table, (struct table_look){ 0 },
		     "  TID  NAME          BYTES\n"
		     "12345  main              1\n"
		     "    7  a-long-name  123456\n");
}

static void an_empty_table_is_its_header(void **state UNUSED)
{
	_cleanup_(cleanup_table) struct table *table = table_new(columns, ARRAY_SIZE(columns));

	assert_table(table, (struct table_look){ 0 }, "TID  NAME  BYTES\n");
}

static void absent_cells_are_dashes_and_missing_ones_empty(void **state UNUSED)
{
	_cleanup_(cleanup_table) struct table *table = table_new(columns, ARRAY_SIZE(columns));

	table_add(table, "1");
	table_add(table, NULL);
	assert_table(table, (struct table_look){ 0 },
		     "TID  NAME  BYTES\n"
		     "  1  -          \n");
}

static void wide_characters_keep_columns_aligned(void **state UNUSED)
{
	_cleanup_(cleanup_table) struct table *table = table_new(columns, ARRAY_SIZE(columns));

	table_add(table, "1");
	table_add(table, "日本");
	table_add(table, "5");
	table_add(table, "2");
	table_add(table, "größe");
	table_add(table, "6");
	assert_table(table, (struct table_look){ 0 },
		     "TID  NAME   BYTES\n"
		     "  1  日本       5\n"
		     "  2  größe      6\n");
}

static void a_narrow_terminal_cuts_the_shrinking_column_only(void **state UNUSED)
{
	_cleanup_(cleanup_table) struct table *table = table_new(columns, ARRAY_SIZE(columns));

	table_add(table, "1");
	table_add(table, "abcdefghij");
	table_add(table, "123456789");
	assert_table(table, (struct table_look){ .columns = 22 },
		     "TID  NAME        BYTES\n"
		     "  1  abcde…  123456789\n");
}

static void a_cut_wide_character_leaves_a_blank(void **state UNUSED)
{
	_cleanup_(cleanup_table) struct table *table = table_new(columns, ARRAY_SIZE(columns));

	table_add(table, "1");
	table_add(table, "日本日本");
	table_add(table, "12345");
	assert_table(table, (struct table_look){ .columns = 18 },
		     "TID  NAME    BYTES\n"
		     "  1  日本…   12345\n");
}

static void foreign_text_is_escaped(void **state UNUSED)
{
	_cleanup_(cleanup_table) struct table *table = table_new(columns, ARRAY_SIZE(columns));

	table_add(table, "1");
	table_add(table, "\033]0;x\a\n");
	table_add(table, "2");
	assert_table(table, (struct table_look){ 0 },
		     "TID  NAME            BYTES\n"
		     "  1  \\x1b]0;x\\x07\\n      2\n");
}

static void colour_marks_the_header_alone(void **state UNUSED)
{
	_cleanup_(cleanup_table) struct table *table = table_new(columns, ARRAY_SIZE(columns));

	table_add(table, "1");
	assert_table(table, (struct table_look){ .colour = true },
		     "\033[1mTID  NAME  BYTES\033[0m\n"
		     "  1             \n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(widths_come_from_the_content),
		cmocka_unit_test(an_empty_table_is_its_header),
		cmocka_unit_test(absent_cells_are_dashes_and_missing_ones_empty),
		cmocka_unit_test(wide_characters_keep_columns_aligned),
		cmocka_unit_test(a_narrow_terminal_cuts_the_shrinking_column_only),
		cmocka_unit_test(a_cut_wide_character_leaves_a_blank),
		cmocka_unit_test(foreign_text_is_escaped),
		cmocka_unit_test(colour_marks_the_header_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
