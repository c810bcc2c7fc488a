// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/frame/interrupts.h"

#include <signal.h>

#include "base/macros.h"
#include "unit.h"

static struct cancel cancel;

static int fresh(void **state UNUSED)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

	/* A shell that runs this in the background, or nohup, may have ignored them. */
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		signal(numbers[i], SIG_DFL);
	atomic_store(&cancel.requested, false);
	assert_success(cli_interrupts_install(&cancel));
	return 0;
}

static void the_first_interrupt_is_for_the_guest(void **state UNUSED)
{
	cli_interrupts_forward(true);
	raise(SIGINT);
	assert_false(cancel_requested(&cancel));
	assert_int_equal(cli_interrupts_take(), SIGINT);
	assert_int_equal(cli_interrupts_take(), 0);
	assert_int_equal(cli_interrupts_ended_by(), 0);
}

static void the_second_interrupt_cancels_the_command(void **state UNUSED)
{
	cli_interrupts_forward(true);
	raise(SIGINT);
	raise(SIGINT);
	assert_true(cancel_requested(&cancel));
	assert_int_equal(cli_interrupts_ended_by(), SIGINT);
}

static void without_forwarding_an_interrupt_cancels_at_once(void **state UNUSED)
{
	raise(SIGINT);
	assert_true(cancel_requested(&cancel));
	assert_int_equal(cli_interrupts_take(), 0);
	assert_int_equal(cli_interrupts_ended_by(), SIGINT);
}

static void the_first_signal_is_reported_as_the_cause(void **state UNUSED)
{
	cli_interrupts_forward(true);
	raise(SIGTERM);
	raise(SIGHUP);
	assert_true(cancel_requested(&cancel));
	assert_int_equal(cli_interrupts_take(), 0);
	assert_int_equal(cli_interrupts_ended_by(), SIGTERM);
}

static void a_terminal_resize_is_returned_once(void **state UNUSED)
{
	assert_false(cli_interrupts_take_resize());
	raise(SIGWINCH);
	raise(SIGWINCH);
	assert_true(cli_interrupts_take_resize());
	assert_false(cli_interrupts_take_resize());
	assert_false(cancel_requested(&cancel));
}

static void sigpipe_does_not_kill_the_program(void **state UNUSED)
{
	raise(SIGPIPE);
	assert_int_equal(cli_interrupts_ended_by(), 0);
}

static void signals_ignored_by_the_parent_stay_ignored(void **state UNUSED)
{
	signal(SIGHUP, SIG_IGN);
	assert_success(cli_interrupts_install(&cancel));
	raise(SIGHUP);
	signal(SIGHUP, SIG_DFL);
	assert_false(cancel_requested(&cancel));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_first_interrupt_is_for_the_guest, fresh),
		cmocka_unit_test_setup(the_second_interrupt_cancels_the_command, fresh),
		cmocka_unit_test_setup(without_forwarding_an_interrupt_cancels_at_once, fresh),
		cmocka_unit_test_setup(the_first_signal_is_reported_as_the_cause, fresh),
		cmocka_unit_test_setup(a_terminal_resize_is_returned_once, fresh),
		cmocka_unit_test_setup(sigpipe_does_not_kill_the_program, fresh),
		cmocka_unit_test_setup(signals_ignored_by_the_parent_stay_ignored, fresh),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
