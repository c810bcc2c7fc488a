// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/frame/screen.h"

#include "base/clock.h"
#include "stderr_text.h"

static const char *shown(struct cli_screen *screen, struct stderr_text *text)
{
	stderr_text_begin(text);
	cli_screen_show(screen, "1 of 3\n");
	cli_screen_show(screen, "2 of 3\n");
	cli_screen_say(screen, "done\033[31m");
	return stderr_text_end(text);
}

static void progress_is_one_line_of_a_terminal_and_goes(void **state UNUSED)
{
	struct stderr_text text;
	struct cli_screen screen;

	cli_screen_init(&screen, false, false);
	screen.terminal = true;
	assert_string_equal(shown(&screen, &text), "\r1 of 3\\n\033[K\r\033[Kdone\\x1b[31m\n");
	screen.terminal = false;
	screen.shown_ns = 0;
	assert_string_equal(shown(&screen, &text), "done\\x1b[31m\n");
}

static void progress_waits_for_a_second_when_asked(void **state UNUSED)
{
	struct stderr_text text;
	struct cli_screen screen;

	cli_screen_init(&screen, false, false);
	screen.terminal = true;
	screen.began_ns = clock_monotonic_ns();
	assert_string_equal(shown(&screen, &text), "done\\x1b[31m\n");
	screen.began_ns -= 2 * NS_PER_SEC;
	assert_contains(shown(&screen, &text), "\r1 of 3");
}

static void quiet_hides_progress_and_messages(void **state UNUSED)
{
	struct stderr_text text;
	struct cli_screen screen;

	cli_screen_init(&screen, true, false);
	screen.terminal = true;
	assert_string_equal(shown(&screen, &text), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(progress_is_one_line_of_a_terminal_and_goes),
		cmocka_unit_test(progress_waits_for_a_second_when_asked),
		cmocka_unit_test(quiet_hides_progress_and_messages),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
