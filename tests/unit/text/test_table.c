// SPDX-License-Identifier: GPL-2.0-or-later
#include "text/table.h"

#include "unit.h"

static const struct text_column columns[] = {
	{ .title = "TID", .right = true },
	{ .title = "NAME", .shrinks = true },
	{ .title = "BYTES", .right = true },
};

static void assert_table(const struct text_table *table, struct text_look look,
			 const char *expected)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

	text_table_format(table, &look, &s);
	assert_string_equal(strbuf_str(&s), expected);
}

static void widths_come_from_the_content(void **state UNUSED)
{
	_cleanup_(cleanup_text_table) struct text_table *table = text_table_new(
		columns, ARRAY_SIZE(columns));

	text_table_addf(table, "%d", 12345);
	text_table_add(table, "main");
	text_table_add(table, "1");
	text_table_add(table, "7");
	text_table_add(table, "a-long-name");
	text_table_add(table, "123456");
	assert_table(table, (struct text_look){ 0 },
		     "  TID  NAME          BYTES\n"
		     "12345  main              1\n"
		     "    7  a-long-name  123456\n");
}

static void an_empty_table_is_its_header(void **state UNUSED)
{
	_cleanup_(cleanup_text_table) struct text_table *table = text_table_new(
		columns, ARRAY_SIZE(columns));

	assert_table(table, (struct text_look){ 0 }, "TID  NAME  BYTES\n");
}

static void absent_cells_are_dashes_and_missing_ones_empty(void **state UNUSED)
{
	_cleanup_(cleanup_text_table) struct text_table *table = text_table_new(
		columns, ARRAY_SIZE(columns));

	text_table_add(table, "1");
	text_table_add(table, NULL);
	assert_table(table, (struct text_look){ 0 },
		     "TID  NAME  BYTES\n"
		     "  1  -          \n");
}

static void wide_characters_keep_columns_aligned(void **state UNUSED)
{
	_cleanup_(cleanup_text_table) struct text_table *table = text_table_new(
		columns, ARRAY_SIZE(columns));

	text_table_add(table, "1");
	text_table_add(table, "日本");
	text_table_add(table, "5");
	text_table_add(table, "2");
	text_table_add(table, "größe");
	text_table_add(table, "6");
	assert_table(table, (struct text_look){ 0 },
		     "TID  NAME   BYTES\n"
		     "  1  日本       5\n"
		     "  2  größe      6\n");
}

static void a_narrow_terminal_cuts_the_shrinking_column_only(void **state UNUSED)
{
	_cleanup_(cleanup_text_table) struct text_table *table = text_table_new(
		columns, ARRAY_SIZE(columns));

	text_table_add(table, "1");
	text_table_add(table, "abcdefghij");
	text_table_add(table, "123456789");
	assert_table(table, (struct text_look){ .columns = 22 },
		     "TID  NAME        BYTES\n"
		     "  1  abcde…  123456789\n");
}

static void a_cut_wide_character_leaves_a_blank(void **state UNUSED)
{
	_cleanup_(cleanup_text_table) struct text_table *table = text_table_new(
		columns, ARRAY_SIZE(columns));

	text_table_add(table, "1");
	text_table_add(table, "日本日本");
	text_table_add(table, "12345");
	assert_table(table, (struct text_look){ .columns = 18 },
		     "TID  NAME    BYTES\n"
		     "  1  日本…   12345\n");
}

static void foreign_text_is_escaped(void **state UNUSED)
{
	_cleanup_(cleanup_text_table) struct text_table *table = text_table_new(
		columns, ARRAY_SIZE(columns));

	text_table_add(table, "1");
	text_table_add(table, "\033]0;x\a\n");
	text_table_add(table, "2");
	assert_table(table, (struct text_look){ 0 },
		     "TID  NAME            BYTES\n"
		     "  1  \\x1b]0;x\\x07\\n      2\n");
}

static void colour_marks_the_header_alone(void **state UNUSED)
{
	_cleanup_(cleanup_text_table) struct text_table *table = text_table_new(
		columns, ARRAY_SIZE(columns));

	text_table_add(table, "1");
	assert_table(table, (struct text_look){ .colour = true },
		     "\033[1mTID  NAME  BYTES\033[0m\n"
		     "  1             \n");
}

static const struct text_column block_columns[] = {
	{ .title = "NAME" },
	{ .title = "VALUE", .right = true },
	{ .title = "NOTE" },
};

static void add_row(struct text_table *table, const char *name, const char *value, const char *note)
{
	text_table_add(table, name);
	text_table_add(table, value);
	text_table_add(table, note);
}

static void headings_do_not_widen_the_columns(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_(cleanup_text_table) struct text_table *table = NULL;

	table = text_table_new(block_columns, ARRAY_SIZE(block_columns));
	text_table_add_heading(table, 0, "a heading that is much wider than the table");
	add_row(table, "x", "1", "");
	add_row(table, "yy", "1000000", "some");
	text_table_add_heading(table, 0, "b");
	add_row(table, "z", "2", "");
	text_table_format(table, &(struct text_look){ 0 }, &text);
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
	_cleanup_(cleanup_text_table) struct text_table *table = NULL;

	table = text_table_new(block_columns, 2);
	text_table_add_heading(table, 0, "/a");
	text_table_add_heading(table, 1, "p");
	text_table_add(table, "x");
	text_table_add(table, "1");
	text_table_format(table, &(struct text_look){ .colour = true }, &text);
	assert_string_equal(strbuf_str(&text), "    \033[1mNAME  VALUE\033[0m\n"
					       "\033[1m/a\033[0m\n"
					       "  \033[1mp\033[0m\n"
					       "    x         1\n");
}

static void trailing_blanks_are_kept_without_headings(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_(cleanup_text_table) struct text_table *table = NULL;

	table = text_table_new(block_columns, ARRAY_SIZE(block_columns));
	add_row(table, "x", "1", "");
	text_table_format(table, &(struct text_look){ 0 }, &text);
	assert_string_equal(strbuf_str(&text), "NAME  VALUE  NOTE\nx         1  \n");
}

static void a_heading_without_rows_is_not_shown(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_(cleanup_text_table) struct text_table *table = NULL;

	table = text_table_new(block_columns, ARRAY_SIZE(block_columns));
	text_table_add_heading(table, 0, "a");
	assert_false(text_table_has_rows(table));
	text_table_format(table, &(struct text_look){ 0 }, &text);
	assert_string_equal(strbuf_str(&text), "  NAME  VALUE  NOTE\n");
}

static void a_name_cannot_write_on_the_terminal(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_(cleanup_text_table) struct text_table *table = NULL;

	table = text_table_new(block_columns, ARRAY_SIZE(block_columns));
	text_table_add_heading(table, 0, "a\033[2J\nb");
	add_row(table, "x\n", "1", "");
	text_table_format(table, &(struct text_look){ 0 }, &text);
	assert_null(strchr(strbuf_str(&text), '\033'));
	assert_contains(strbuf_str(&text), "\na\\x1b[2J\\nb\n");
}

static void an_optional_column_without_content_is_left_out(void **state UNUSED)
{
	static const struct text_column some[] = {
		{ .title = "NAME" },
		{ .title = "NOTE", .optional = true },
		{ .title = "BYTES", .right = true },
	};
	_cleanup_(cleanup_text_table) struct text_table *table = text_table_new(some,
										ARRAY_SIZE(some));

	add_row(table, "a", "", "1");
	assert_table(table, (struct text_look){ 0 }, "NAME  BYTES\na         1\n");
	text_table_add(table, "b");
	text_table_add(table, "!");
	text_table_add_bytes(table, 2048);
	assert_table(table, (struct text_look){ 0 },
		     "NAME  NOTE    BYTES\na                 1\nb     !     2.0 KiB\n");
}

static void rows_that_do_not_fit_become_paragraphs(void **state UNUSED)
{
	_cleanup_(cleanup_text_table) struct text_table *table = text_table_new(block_columns, 3);

	add_row(table, "x", "1", "a long note");
	add_row(table, "y", "", "b");
	assert_table(table, (struct text_look){ .columns = 24, .paragraphs = true },
		     "NAME  VALUE  NOTE\nx         1  a long note\ny            b\n");
	assert_table(table, (struct text_look){ .columns = 12, .paragraphs = true },
		     "x  1\n    a long\n    note\ny\n    b\n");
}

static void an_indent_counts_as_width(void **state UNUSED)
{
	_cleanup_(cleanup_text_table) struct text_table *table = text_table_new(
		columns, ARRAY_SIZE(columns));

	text_table_add(table, "1");
	text_table_add(table, "abcdefghij");
	text_table_add(table, "123456789");
	assert_table(table, (struct text_look){ .columns = 24, .indent = 2 },
		     "  TID  NAME        BYTES\n"
		     "    1  abcde…  123456789\n");
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
		cmocka_unit_test(headings_do_not_widen_the_columns),
		cmocka_unit_test(deeper_headings_are_indented),
		cmocka_unit_test(trailing_blanks_are_kept_without_headings),
		cmocka_unit_test(a_heading_without_rows_is_not_shown),
		cmocka_unit_test(a_name_cannot_write_on_the_terminal),
		cmocka_unit_test(an_optional_column_without_content_is_left_out),
		cmocka_unit_test(rows_that_do_not_fit_become_paragraphs),
		cmocka_unit_test(an_indent_counts_as_width),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
