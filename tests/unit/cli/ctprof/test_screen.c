// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/ctprof/cmd_capture.h"

#include "base/clock.h"
#include "stderr_text.h"

static const struct ctprof_progress progress = {
	.processes_done = 3, .processes_total = 10, .threads = 40, .stage = "threads"
};

static void progress_says_how_far_it_is(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT, little = STRBUF_INIT;

	screen_format_progress(&progress, &line);
	assert_string_equal(strbuf_str(&line), "threads: 3 of 10 processes, 40 threads");
	screen_format_progress(&(struct ctprof_progress){ .stage = "heap" }, &little);
	assert_string_equal(strbuf_str(&little), "heap");
}

static const char *shown(struct cli_screen *screen, struct stderr_text *text)
{
	stderr_text_begin(text);
	screen_progress(&progress, screen);
	screen_progress(&progress, screen);
	cli_screen_say(screen, "done\033[31m");
	return stderr_text_end(text);
}

static void only_terminals_see_progress_and_only_after_a_second(void **state UNUSED)
{
	struct stderr_text text;
	struct cli_screen screen;

	cli_screen_init(&screen, false, false);
	screen.began_ns = clock_monotonic_ns();
	assert_false(screen.terminal && !isatty(STDERR_FILENO));
	screen.terminal = false;
	screen.began_ns -= 2 * NS_PER_SEC;
	assert_string_equal(shown(&screen, &text), "done\\x1b[31m\n");
	screen.terminal = true;
	/* Once: the second follows too soon. It is taken away before the line. */
	assert_string_equal(
		shown(&screen, &text),
		"\rthreads: 3 of 10 processes, 40 threads\033[K\r\033[Kdone\\x1b[31m\n");
	screen.shown_ns = 0;
	screen.began_ns = clock_monotonic_ns();
	assert_string_equal(shown(&screen, &text), "done\\x1b[31m\n");
}

static void the_quiet_see_nothing_and_notes_are_for_the_curious(void **state UNUSED)
{
	struct stderr_text text;
	struct cli_screen screen;

	cli_screen_init(&screen, true, false);
	screen.terminal = true;
	assert_string_equal(shown(&screen, &text), "");
	cli_screen_init(&screen, false, false);
	stderr_text_begin(&text);
	screen_note("no BPF here", &screen);
	assert_string_equal(stderr_text_end(&text), "");
	cli_screen_init(&screen, false, true);
	stderr_text_begin(&text);
	screen_note("no BPF here", &screen);
	assert_string_equal(stderr_text_end(&text), "note: no BPF here\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(progress_says_how_far_it_is),
		cmocka_unit_test(only_terminals_see_progress_and_only_after_a_second),
		cmocka_unit_test(the_quiet_see_nothing_and_notes_are_for_the_curious),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
