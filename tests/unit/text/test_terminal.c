// SPDX-License-Identifier: GPL-2.0-or-later
#include "text/terminal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "unit.h"

/* The terminal end of a pseudo terminal, 132 columns wide. */
static int open_terminal(int *ret_master)
{
	struct winsize size = { .ws_row = 24, .ws_col = 132 };
	int master = posix_openpt(O_RDWR | O_NOCTTY), slave;

	assert_true(master >= 0);
	assert_int_equal(grantpt(master), 0);
	assert_int_equal(unlockpt(master), 0);
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	assert_true(slave >= 0);
	assert_int_equal(ioctl(slave, TIOCSWINSZ, &size), 0);
	*ret_master = master;
	return slave;
}

static void a_file_is_not_a_terminal(void **state UNUSED)
{
	int fd = open("/dev/null", O_RDWR);

	setenv("TERM", "xterm", 1);
	unsetenv("NO_COLOR");
	assert_false(text_terminal_is(fd));
	assert_int_equal(text_terminal_columns(fd), 0);
	assert_false(text_terminal_has_colour(fd));
	close(fd);
}

static void terminal_columns_are_read_from_the_terminal(void **state UNUSED)
{
	int master, fd = open_terminal(&master);

	assert_true(text_terminal_is(fd));
	assert_int_equal(text_terminal_columns(fd), 132);
	close(fd);
	close(master);
}

static void colour_needs_a_terminal_that_can_and_may(void **state UNUSED)
{
	int master, fd = open_terminal(&master);

	setenv("TERM", "xterm", 1);
	unsetenv("NO_COLOR");
	assert_true(text_terminal_has_colour(fd));
	setenv("NO_COLOR", "", 1);
	assert_true(text_terminal_has_colour(fd));
	setenv("NO_COLOR", "1", 1);
	assert_false(text_terminal_has_colour(fd));
	unsetenv("NO_COLOR");
	setenv("TERM", "dumb", 1);
	assert_false(text_terminal_has_colour(fd));
	unsetenv("TERM");
	assert_false(text_terminal_has_colour(fd));
	close(fd);
	close(master);
}

static void width_counts_columns_and_not_bytes(void **state UNUSED)
{
	assert_int_equal(text_width(""), 0);
	assert_int_equal(text_width("abc"), 3);
	assert_int_equal(text_width("größe"), 5);
	assert_int_equal(text_width("日本"), 4);
	assert_int_equal(text_width("e\xcc\x81"), 1); /* e and a combining accent */
	assert_int_equal(text_width("\xff\xfe"), 2);
}

static void prefix_never_splits_a_character(void **state UNUSED)
{
	assert_int_equal(text_prefix("abc", 2), 2);
	assert_int_equal(text_prefix("abc", 10), 3);
	assert_int_equal(text_prefix("日本", 3), 3);
	assert_int_equal(text_prefix("日本", 1), 0);
	assert_int_equal(text_prefix("e\xcc\x81x", 1), 3);
}

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

static void a_word_longer_than_the_line_gets_its_own_line(void **state UNUSED)
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

static void bytes_get_the_unit_that_fits(void **state UNUSED)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} rows[] = {
		{ 0, "0 B" },
		{ 1, "1 B" },
		{ 1023, "1023 B" },
		{ 1024, "1.0 KiB" },
		{ 1536, "1.5 KiB" },
		{ UINT64_C(16) << 20, "16.0 MiB" },
		{ (UINT64_C(1) << 20) - 1, "1.0 MiB" }, /* never 1024.0 KiB */
		{ (UINT64_C(1) << 20) - 52, "1023.9 KiB" },
		{ UINT64_C(1) << 30, "1.0 GiB" },
		{ UINT64_C(1) << 40, "1.0 TiB" },
		{ UINT64_C(1) << 50, "1.0 PiB" },
		{ UINT64_C(1) << 60, "1.0 EiB" },
		{ UINT64_MAX, "16.0 EiB" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

		text_format_bytes(&s, rows[i].bytes);
		assert_string_equal(strbuf_str(&s), rows[i].text);
	}
}

static void differences_may_be_negative(void **state UNUSED)
{
	static const struct {
		uint64_t after, before;
		const char *text;
	} rows[] = {
		{ 100, 100, "0 B" },	       { 3072, 1024, "2.0 KiB" },
		{ 1024, 2560, "-1.5 KiB" },    { 0, UINT64_MAX, "-16.0 EiB" },
		{ UINT64_MAX, 0, "16.0 EiB" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

		text_format_bytes_difference(&s, rows[i].after, rows[i].before);
		assert_string_equal(strbuf_str(&s), rows[i].text);
	}
}

static void rates_are_per_second(void **state UNUSED)
{
	static const struct {
		uint64_t bytes, ns;
		const char *text;
	} rows[] = {
		{ 0, 5, "0 B/s" },
		{ 1024, UINT64_C(1000000000), "1.0 KiB/s" },
		{ 1024, UINT64_C(500000000), "2.0 KiB/s" },
		{ UINT64_MAX, 1, "16.0 EiB/s" }, /* does not overflow */
		{ 77, 0, "-" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

		text_format_rate(&s, rows[i].bytes, rows[i].ns);
		assert_string_equal(strbuf_str(&s), rows[i].text);
	}
}

static void durations_get_the_unit_that_fits(void **state UNUSED)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} rows[] = {
		{ 850, "850 ns" },
		{ 12500, "12.5 us" },
		{ 3000000, "3.0 ms" },
		{ 999960000, "1.0 s" },
		{ UINT64_C(5000) * 1000000000, "5000.0 s" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

		text_format_duration(&s, rows[i].ns);
		assert_string_equal(strbuf_str(&s), rows[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_not_a_terminal),
		cmocka_unit_test(terminal_columns_are_read_from_the_terminal),
		cmocka_unit_test(colour_needs_a_terminal_that_can_and_may),
		cmocka_unit_test(width_counts_columns_and_not_bytes),
		cmocka_unit_test(prefix_never_splits_a_character),
		cmocka_unit_test(breaks_at_the_last_space_that_fits),
		cmocka_unit_test(further_lines_are_indented),
		cmocka_unit_test(a_word_longer_than_the_line_gets_its_own_line),
		cmocka_unit_test(newlines_are_kept_and_empty_lines_hold_no_blanks),
		cmocka_unit_test(blanks_are_joined),
		cmocka_unit_test(ordinary_names_pass_unchanged),
		cmocka_unit_test(control_characters_never_pass),
		cmocka_unit_test(every_ascii_control_is_escaped),
		cmocka_unit_test(broken_bytes_are_shown_one_by_one),
		cmocka_unit_test(direction_overrides_and_line_separators_do_not_pass),
		cmocka_unit_test(names_are_spelt_as_the_header_says),
		cmocka_unit_test(every_pair_of_bytes_comes_back),
		cmocka_unit_test(bytes_get_the_unit_that_fits),
		cmocka_unit_test(differences_may_be_negative),
		cmocka_unit_test(rates_are_per_second),
		cmocka_unit_test(durations_get_the_unit_that_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
