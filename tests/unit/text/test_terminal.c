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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_no_terminal),
		cmocka_unit_test(a_terminal_says_how_wide_it_is),
		cmocka_unit_test(colour_needs_a_terminal_that_can_and_may),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
