// SPDX-License-Identifier: GPL-2.0-or-later
#include "text/wrap.h"

#include "unit.h"

static void assert_wrapped(const char *text, size_t indent, size_t columns, const char *expected)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

	text_wrap(&s, text, indent, columns);
	assert_string_equal(strbuf_str(&s), expected);
}

static void breaks_at_the_last_space_that_fits(void **state UNUSED)
{
	assert_wrapped("one two three", 0, 7, "one two\nthree");
	assert_wrapped("one two three", 0, 6, "one\ntwo\nthree");
	assert_wrapped("one two three", 0, 13, "one two three");
}

static void further_lines_are_indented(void **state UNUSED)
{
	assert_wrapped("one two three", 4, 11, "one two\n    three");
}

static void a_long_word_stands_alone(void **state UNUSED)
{
	assert_wrapped("a incomprehensible b", 0, 5, "a\nincomprehensible\nb");
}

static void newlines_are_kept_and_empty_lines_hold_no_blanks(void **state UNUSED)
{
	assert_wrapped("one\n\ntwo", 2, 20, "one\n\n  two");
}

static void blanks_are_joined(void **state UNUSED)
{
	assert_wrapped("  one   two ", 0, 20, "one two");
	assert_wrapped("", 3, 20, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(breaks_at_the_last_space_that_fits),
		cmocka_unit_test(further_lines_are_indented),
		cmocka_unit_test(a_long_word_stands_alone),
		cmocka_unit_test(newlines_are_kept_and_empty_lines_hold_no_blanks),
		cmocka_unit_test(blanks_are_joined),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
