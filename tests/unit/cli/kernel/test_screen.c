// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/kernel/commands.h"

#include <signal.h>
#include <unistd.h>

#include "unit.h"

static int real_stderr, caught[2];

static void begin_catching(void)
{
	fflush(stderr);
	assert_int_equal(pipe(caught), 0);
	real_stderr = dup(STDERR_FILENO);
	assert_true(dup2(caught[1], STDERR_FILENO) >= 0);
}

static void end_catching(char *text, size_t size)
{
	ssize_t n;

	fflush(stderr);
	assert_true(dup2(real_stderr, STDERR_FILENO) >= 0);
	close(real_stderr);
	close(caught[1]);
	n = read(caught[0], text, size - 1);
	close(caught[0]);
	text[n > 0 ? n : 0] = 0;
}

static void show(struct kernel_screen *screen, char *text, size_t size)
{
	const struct kernel_watch *watch = &screen->watch;

	begin_catching();
	watch->say(watch->context, "one\033[2J");
	watch->progress(watch->context, "x", 512, 2048);
	watch->say(watch->context, "two");
	kernel_screen_finish(screen);
	end_catching(text, size);
}

static void without_a_terminal_there_is_one_line_per_step(void **state UNUSED)
{
	struct kernel_screen screen;
	char text[256];

	kernel_screen_init(&screen, false);
	screen.screen.terminal = false;
	show(&screen, text, sizeof(text));
	assert_string_equal(text, "one\\x1b[2J\ntwo\n");
}

static void a_terminal_sees_bytes_and_percent_on_a_line_that_goes(void **state UNUSED)
{
	struct kernel_screen screen;
	char text[256];

	kernel_screen_init(&screen, false);
	screen.screen.terminal = true;
	show(&screen, text, sizeof(text));
	assert_string_equal(text, "one\\x1b[2J\n"
				  "\rx  512 B of 2.0 KiB   25%\033[K"
				  "\r\033[K"
				  "two\n");
}

static void quiet_says_nothing(void **state UNUSED)
{
	struct kernel_screen screen;
	char text[256];

	kernel_screen_init(&screen, true);
	screen.screen.terminal = true;
	show(&screen, text, sizeof(text));
	assert_string_equal(text, "");
}

static void the_first_signal_cancels_and_the_second_kills(void **state UNUSED)
{
	struct kernel_screen screen;
	struct sigaction action;

	kernel_screen_init(&screen, true);
	assert_false(cancel_requested(screen.watch.cancel));
	raise(SIGTERM);
	assert_true(cancel_requested(screen.watch.cancel));
	assert_int_equal(sigaction(SIGTERM, NULL, &action), 0);
	assert_ptr_equal(action.sa_handler, SIG_DFL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_terminal_there_is_one_line_per_step),
		cmocka_unit_test(a_terminal_sees_bytes_and_percent_on_a_line_that_goes),
		cmocka_unit_test(quiet_says_nothing),
		cmocka_unit_test(the_first_signal_cancels_and_the_second_kills),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
