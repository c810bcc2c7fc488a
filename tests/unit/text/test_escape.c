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

static void names_are_spelt_as_the_header_says(void **state UNUSED)
{
	static const struct {
		const char *name, *forbidden, *spelt;
	} rows[] = {
		{ "", "", "" },
		{ "fair:two_cells@1n2l2c1t,6.1,run=2", "#", "fair:two_cells@1n2l2c1t,6.1,run=2" },
		{ "a b", "", "a b" },
		{ " a ", "", "\\x20a\\x20" },
		{ " ", "", "\\x20" },
		{ "- a - b", "", "\\x2d a - b" },
		{ "a # SKIP b", "#", "a \\x23 SKIP b" },
		{ "a # b", "", "a # b" },
		{ "a\nb\\n", "", "a\\nb\\\\n" },
		{ "\x1b[31m\t\x7f", "", "\\x1b[31m\\x09\\x7f" },
		{ "\xff\xc3", "", "\\xff\\xc3" },
		{ "名前 ü", "", "名前 ü" },
		{ "\xc2\x85\xe2\x80\xa8", "", "\\xc2\\x85\\xe2\\x80\\xa8" },
		{ "\xef\xbf\xbf\xef\xbf\xbd", "", "\\xef\\xbf\\xbf\xef\xbf\xbd" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

		text_escape_name(&s, rows[i].name, rows[i].forbidden);
		assert_string_equal(strbuf_str(&s), rows[i].spelt);
	}
}

/* The reader's side, written from the header alone. */
static void unspell(const char *s, struct strbuf *into)
{
	while (*s) {
		if (s[0] != '\\') {
			strbuf_append_char(into, *s++);
		} else if (s[1] == 'x' && s[2]) {
			char digits[3] = { s[2], s[3], 0 };

			strbuf_append_char(into, (char)strtoul(digits, NULL, 16));
			s += 4;
		} else {
			strbuf_append_char(into, s[1] == 'n' ? '\n' : s[1]);
			s += s[1] ? 2 : 1;
		}
	}
}

static void every_pair_of_bytes_comes_back(void **state UNUSED)
{
	for (int a = 1; a < 256; a++) {
		for (int b = 1; b < 256; b++) {
			const char name[] = { (char)a, (char)b, 0 };
			_cleanup_strbuf_ struct strbuf spelt = STRBUF_INIT;
			_cleanup_strbuf_ struct strbuf back = STRBUF_INIT;

			text_escape_name(&spelt, name, "#");
			unspell(strbuf_str(&spelt), &back);
			assert_string_equal(strbuf_str(&back), name);
			assert_null(strpbrk(strbuf_str(&spelt), "#\n\r\t\x1b"));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ordinary_names_pass_unchanged),
		cmocka_unit_test(control_characters_never_pass),
		cmocka_unit_test(every_ascii_control_is_escaped),
		cmocka_unit_test(broken_bytes_are_shown_one_by_one),
		cmocka_unit_test(direction_overrides_and_line_separators_do_not_pass),
		cmocka_unit_test(names_are_spelt_as_the_header_says),
		cmocka_unit_test(every_pair_of_bytes_comes_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
