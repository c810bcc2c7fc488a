// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/spell.h"

#include <stdlib.h>

#include "unit.h"

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

		spell_name(&s, rows[i].name, rows[i].forbidden);
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

			spell_name(&spelt, name, "#");
			unspell(strbuf_str(&spelt), &back);
			assert_string_equal(strbuf_str(&back), name);
			assert_null(strpbrk(strbuf_str(&spelt), "#\n\r\t\x1b"));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_spelt_as_the_header_says),
		cmocka_unit_test(every_pair_of_bytes_comes_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
