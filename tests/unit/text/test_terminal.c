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

static void a_file_is_no_terminal(void **state UNUSED)
{
	int fd = open("/dev/null", O_RDWR);

	setenv("TERM", "xterm", 1);
	unsetenv("NO_COLOR");
	assert_false(text_terminal_is(fd));
	assert_int_equal(text_terminal_columns(fd), 0);
	assert_false(text_terminal_has_colour(fd));
	close(fd);
}

static void a_terminal_says_how_wide_it_is(void **state UNUSED)
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
		cmocka_unit_test(a_file_is_no_terminal),
		cmocka_unit_test(a_terminal_says_how_wide_it_is),
		cmocka_unit_test(colour_needs_a_terminal_that_can_and_may),
		cmocka_unit_test(width_counts_columns_and_not_bytes),
		cmocka_unit_test(prefix_never_splits_a_character),
		cmocka_unit_test(breaks_at_the_last_space_that_fits),
		cmocka_unit_test(further_lines_are_indented),
		cmocka_unit_test(a_long_word_stands_alone),
		cmocka_unit_test(newlines_are_kept_and_empty_lines_hold_no_blanks),
		cmocka_unit_test(blanks_are_joined),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
