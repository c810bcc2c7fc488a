// SPDX-License-Identifier: GPL-2.0-or-later
#include "text/escape.h"

#include "unit.h"

static void assert_escaped(const char *foreign, const char *expected)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

	text_escape(&s, foreign);
	assert_string_equal(strbuf_str(&s), expected);
}

static void ordinary_names_pass_unchanged(void **state UNUSED)
{
	assert_escaped("", "");
	assert_escaped("kworker/0:1 [a]=\\b", "kworker/0:1 [a]=\\b");
	assert_escaped("größe 日本", "größe 日本");
}

static void control_characters_never_pass(void **state UNUSED)
{
	assert_escaped("\033[31mred\033[0m", "\\x1b[31mred\\x1b[0m");
	assert_escaped("a\nb\tc\rd", "a\\nb\\tc\\rd");
	assert_escaped("\x01\x7f", "\\x01\\x7f");
	assert_escaped("\xc2\x9b"
		       "31m",
		       "\\x9b31m"); /* CSI as one C1 character */
}

static void every_ascii_control_is_escaped(void **state UNUSED)
{
	for (int c = 0; c < 0x20; c++) {
		_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

		text_escape_bytes(&s, (char[]){ (char)c }, 1);
		assert_int_equal(s.at[0], '\\');
	}
}

static void broken_bytes_are_shown_one_by_one(void **state UNUSED)
{
	assert_escaped("a\xff\xe2\x82z", "a\\xff\\xe2\\x82z");
}

static void direction_overrides_and_line_separators_do_not_pass(void **state UNUSED)
{
	assert_escaped("a\xe2\x80\xae"
		       "b",
		       "a\\u202eb");
	assert_escaped("\xe2\x80\xa8", "\\u2028");
	assert_escaped("\xe2\x81\xa6", "\\u2066");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ordinary_names_pass_unchanged),
		cmocka_unit_test(control_characters_never_pass),
		cmocka_unit_test(every_ascii_control_is_escaped),
		cmocka_unit_test(broken_bytes_are_shown_one_by_one),
		cmocka_unit_test(direction_overrides_and_line_separators_do_not_pass),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
