// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/shell_word.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"

static void assert_word(const char *text, const char *expected)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

	shell_append_word(&s, text);
	assert_string_equal(strbuf_str(&s), expected);
}

static void ordinary_paths_stay_as_they_are(void **state UNUSED)
{
	assert_word("ktstr-results/2026-11-15T14-30-05-4711/a_b-0123.ktstr.json",
		    "ktstr-results/2026-11-15T14-30-05-4711/a_b-0123.ktstr.json");
}

static void shell_metacharacters_are_quoted(void **state UNUSED)
{
	assert_word("", "''");
	assert_word("a b", "'a b'");
	assert_word("$HOME/*", "'$HOME/*'");
	assert_word("~x", "'~x'");
	assert_word("it's", "'it'\\''s'");
	assert_word("=ls", "'=ls'");
}

static void control_characters_are_quoted_as_octal_escapes(void **state UNUSED)
{
	assert_word("a\nb'c\\d", "$'a\\012b\\'c\\\\d'");
	assert_word("\x7f", "$'\\177'");
}

/* The oracle is bash itself, for every byte but NUL. */
static void bash_reads_every_byte_back(void **state UNUSED)
{
	for (int c = 1; c < 256; c++) {
		char text[] = { 'x', (char)c, ' ', (char)c, '1', 0 };
		_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;
		char read_back[16] = "";
		FILE *f;

		strbuf_append(&line, "printf %s ");
		shell_append_word(&line, text);
		assert_int_equal(setenv("KTSTR_TEST_LINE", strbuf_str(&line), 1), 0);
		f = popen("LC_ALL=C bash -c \"$KTSTR_TEST_LINE\"", "r");
		assert_non_null(f);
		assert_int_equal(fread(read_back, 1, sizeof(read_back), f), strlen(text));
		assert_int_equal(pclose(f), 0);
		assert_string_equal(read_back, text);
	}
}

static void a_path_that_begins_with_a_dash_gets_a_dot_slash(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

	shell_append_path(&s, "-o x");
	strbuf_append_char(&s, ' ');
	shell_append_path(&s, "/tmp/-o");
	assert_string_equal(strbuf_str(&s), "'./-o x' /tmp/-o");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ordinary_paths_stay_as_they_are),
		cmocka_unit_test(shell_metacharacters_are_quoted),
		cmocka_unit_test(control_characters_are_quoted_as_octal_escapes),
		cmocka_unit_test(bash_reads_every_byte_back),
		cmocka_unit_test(a_path_that_begins_with_a_dash_gets_a_dot_slash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
