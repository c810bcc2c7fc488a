// SPDX-License-Identifier: GPL-2.0-or-later
#include "suite/fake_scheduler.h"

static void attached_and_stopped(void **state)
{
	struct fixture *f = *state;

	start(f, "echo out; echo err >&2; " ATTACH "exec sleep 1000");
	assert_true(suite_scheduler_wait_attached(&f->scheduler, &LONG, &f->heard.report));
	assert_true(suite_scheduler_is_alive(&f->scheduler));
	suite_scheduler_finish(&f->scheduler, &f->heard.report);
	assert_contains(heard_text(&f->heard), "{\"report\":\"scheduler\",\"state\":\"started\","
					       "\"pid\":");
	assert_contains(heard_text(&f->heard), "{\"report\":\"scheduler\",\"state\":\"attached\","
					       "\"ops\":\"fake_ops\",\"attach_ms\":");
	assert_contains(heard_text(&f->heard), "{\"report\":\"scheduler\",\"state\":\"ended\","
					       "\"end\":\"stopped\",\"asked\":true,\"restarts\":0,"
					       "\"events\":\"EVENT 3\"}\n");
	assert_contains(heard_text(&f->heard), "{\"report\":\"text\",\"name\":\"scheduler.stdout\","
					       "\"text\":\"out\\n\"}\n");
	assert_contains(heard_text(&f->heard), "{\"report\":\"text\",\"name\":\"scheduler.stderr\","
					       "\"text\":\"err\\n\"}\n");
	assert_int_equal(f->heard.report.parts, 0);
}

static void a_scheduler_that_exits_during_the_test_is_lost(void **state)
{
	struct fixture *f = *state;
	struct pollfd fds[SUITE_SCHEDULER_FDS];

	start(f, ATTACH "read x < \"$1/fifo\"; " DETACH "exit 5");
	assert_true(suite_scheduler_wait_attached(&f->scheduler, &LONG, &f->heard.report));
	assert_true(suite_scheduler_is_alive(&f->scheduler));
	dir_write(&f->dir, "scx/fifo", "go\n");
	suite_scheduler_poll(&f->scheduler, fds);
	assert_int_equal(poll(fds, 1, LONG_MS), 1);
	assert_false(suite_scheduler_is_alive(&f->scheduler));
	suite_scheduler_report_loss(&f->scheduler, &f->heard.report);
	suite_scheduler_finish(&f->scheduler, &f->heard.report);
	assert_contains(heard_text(&f->heard),
			"\"reason\":\"scheduler-exited\",\"text\":\"fake ended "
			"with exit code 5\"");
	assert_contains(heard_text(&f->heard), "\"end\":\"exited 5\"");
}

static int set_up_fifo(void **state)
{
	struct fixture *f;
	char path[100];

	set_up(state);
	f = *state;
	snprintf(path, sizeof(path), "%s/fifo", f->system.sched_ext);
	return mkfifo(path, 0600);
}

/* The kernel has thrown it out, and its program has not noticed. */
static void a_scheduler_disabled_by_the_kernel_is_lost(void **state)
{
	struct fixture *f = *state;

	/* Its last words are waited for, but here not for long. */
	f->scheduler.slowness = 0.01;
	start(f, ATTACH "exec sleep 1000");
	assert_true(suite_scheduler_wait_attached(&f->scheduler, &LONG, &f->heard.report));
	dir_write(&f->dir, "scx/state", "disabled\n");
	assert_false(suite_scheduler_is_alive(&f->scheduler));
	suite_scheduler_report_loss(&f->scheduler, &f->heard.report);
	assert_contains(heard_text(&f->heard), "its program still runs");
}

static void a_scheduler_that_ignores_signals_is_killed(void **state)
{
	struct fixture *f = *state;

	f->scheduler.slowness = 0.01;
	start(f, "trap '' INT TERM; " ATTACH "while :; do sleep 1; done");
	assert_true(suite_scheduler_wait_attached(&f->scheduler, &LONG, &f->heard.report));
	suite_scheduler_finish(&f->scheduler, &f->heard.report);
	assert_contains(heard_text(&f->heard), "\"end\":\"killed\",\"asked\":true");
	assert_contains(
		heard_text(&f->heard),
		"\"reason\":\"scheduler-stop\",\"text\":\"asked to end, fake ignored SIGINT and "
		"SIGTERM, and had to be killed");
}

static void scheduler_attached_again_counts_as_lost(void **state)
{
	struct fixture *f = *state;

	f->scheduler.slowness = 0.01;
	start(f, ATTACH "exec sleep 1000");
	assert_true(suite_scheduler_wait_attached(&f->scheduler, &LONG, &f->heard.report));
	dir_write(&f->dir, "scx/enable_seq", "9\n");
	assert_false(suite_scheduler_is_alive(&f->scheduler));
	suite_scheduler_report_loss(&f->scheduler, &f->heard.report);
	assert_contains(heard_text(&f->heard), "was detached and attached again");
}

static void one_that_may_restart_is_counted(void **state)
{
	struct fixture *f = *state;

	f->scheduler.may_restart = true;
	start(f, ATTACH "exec sleep 1000");
	assert_true(suite_scheduler_wait_attached(&f->scheduler, &LONG, &f->heard.report));
	dir_write(&f->dir, "scx/state", "disabled\n");
	assert_true(suite_scheduler_is_alive(&f->scheduler));
	dir_write(&f->dir, "scx/state", "enabled\n");
	dir_write(&f->dir, "scx/enable_seq", "10\n");
	assert_true(suite_scheduler_is_alive(&f->scheduler));
	suite_scheduler_finish(&f->scheduler, &f->heard.report);
	assert_contains(heard_text(&f->heard), "\"restarts\":2");
	assert_int_equal(f->heard.report.parts, 0);
}

static void one_whose_restarts_cannot_be_counted_is_lost_for_that(void **state)
{
	struct fixture *f = *state;

	f->scheduler.may_restart = true;
	f->scheduler.slowness = 0.01;
	dir_write(&f->dir, "scx/enable_seq", "not a number\n");
	start(f, ATTACH "exec sleep 1000");
	assert_true(suite_scheduler_wait_attached(&f->scheduler, &LONG, &f->heard.report));
	dir_write(&f->dir, "scx/state", "disabled\n");
	assert_false(suite_scheduler_is_alive(&f->scheduler));
	dir_write(&f->dir, "scx/state", "enabled\n");
	suite_scheduler_report_loss(&f->scheduler, &f->heard.report);
	assert_contains(heard_text(&f->heard),
			"was detached, and its restarts cannot be counted: enable_seq cannot be "
			"read (sched_ext is \\\"enabled\\\"); its program still runs");
}

static void a_scheduler_that_does_not_restart_is_lost(void **state)
{
	struct fixture *f = *state;

	f->scheduler.may_restart = true;
	f->scheduler.slowness = 0;
	start(f, ATTACH "exec sleep 1000");
	assert_true(suite_scheduler_wait_attached(&f->scheduler, &LONG, &f->heard.report));
	dir_write(&f->dir, "scx/state", "disabled\n");
	(void)suite_scheduler_is_alive(&f->scheduler);
	assert_false(suite_scheduler_is_alive(&f->scheduler));
}

/* The test ends while it is away: whether it comes back decides. */
static void a_scheduler_away_at_the_end_must_restart(void **state)
{
	struct fixture *f = *state;

	f->scheduler.may_restart = true;
	f->scheduler.slowness = 0.02;
	start(f, ATTACH "exec sleep 1000");
	assert_true(suite_scheduler_wait_attached(&f->scheduler, &LONG, &f->heard.report));
	dir_write(&f->dir, "scx/state", "disabled\n");
	assert_true(suite_scheduler_is_alive(&f->scheduler));
	suite_scheduler_finish(&f->scheduler, &f->heard.report);
	assert_contains(heard_text(&f->heard), "\"reason\":\"scheduler-exited\"");
	assert_contains(heard_text(&f->heard), "was detached and did not attach again in time");
}

static void a_scheduler_that_returns_at_the_end_has_restarted(void **state)
{
	struct fixture *f = *state;

	f->scheduler.may_restart = true;
	/* A file of the kernel is never empty for a moment, so ours is not either. */
	start(f, ATTACH "read x < \"$1/fifo\"; sleep 0.3; echo 9 > \"$1/new\"; "
			"mv \"$1/new\" \"$1/enable_seq\"; echo enabled > \"$1/state\"; "
			"exec sleep 1000");
	assert_true(suite_scheduler_wait_attached(&f->scheduler, &LONG, &f->heard.report));
	dir_write(&f->dir, "scx/state", "disabled\n");
	assert_true(suite_scheduler_is_alive(&f->scheduler));
	dir_write(&f->dir, "scx/fifo", "go\n");
	suite_scheduler_finish(&f->scheduler, &f->heard.report);
	assert_contains(heard_text(&f->heard), "\"restarts\":1");
	assert_int_equal(f->heard.report.parts, 0);
}

/* It came back, but the kernel's reason stays. */
static void the_error_before_a_restart_is_reported(void **state)
{
	struct fixture *f = *state;

	f->scheduler.may_restart = true;
	start(f, ATTACH "exec sleep 1000");
	assert_true(suite_scheduler_wait_attached(&f->scheduler, &LONG, &f->heard.report));
	strbuf_append(&f->scheduler.kernel_lines, "sched_ext: BPF scheduler \"fake_ops\" disabled "
						  "(runtime error)\nsched_ext: fake_ops: why\n");
	dir_write(&f->dir, "scx/enable_seq", "9\n");
	suite_scheduler_finish(&f->scheduler, &f->heard.report);
	assert_contains(
		heard_text(&f->heard),
		"\"reason\":\"scheduler-exited\",\"text\":\"fake was ended by the kernel and "
		"attached again; the kernel says: runtime error: why\"");
	assert_int_equal(f->heard.report.parts, 1);
}

/* Between the last look and the end of the test, while workers were being stopped. */
static void a_scheduler_ended_by_the_kernel_before_the_stop_fails(void **state)
{
	struct fixture *f = *state;

	f->scheduler.slowness = 0.01;
	start(f, ATTACH "exec sleep 1000");
	assert_true(suite_scheduler_wait_attached(&f->scheduler, &LONG, &f->heard.report));
	dir_write(&f->dir, "scx/state", "disabled\n");
	suite_scheduler_finish(&f->scheduler, &f->heard.report);
	assert_contains(heard_text(&f->heard), "\"reason\":\"scheduler-exited\"");
	assert_int_equal(f->heard.report.parts, 1);
}

static void an_end_that_is_not_judged_has_no_part(void **state)
{
	struct fixture *f = *state;

	f->scheduler.is_judged = false;
	start(f, ATTACH "trap 'exit 9' INT; while :; do sleep 0.1; done");
	assert_true(suite_scheduler_wait_attached(&f->scheduler, &LONG, &f->heard.report));
	dir_write(&f->dir, "scx/state", "disabled\n");
	suite_scheduler_finish(&f->scheduler, &f->heard.report);
	assert_int_equal(f->heard.report.parts, 0);
}

static void asked_to_end(struct fixture *f, const char *script, const char *words)
{
	start(f, script);
	assert_true(suite_scheduler_wait_attached(&f->scheduler, &LONG, &f->heard.report));
	suite_scheduler_finish(&f->scheduler, &f->heard.report);
	assert_int_equal(f->heard.report.parts, words ? 1 : 0);
	if (words)
		assert_contains(heard_text(&f->heard), words);
}

static void an_exit_code_when_asked_to_end_is_judged(void **state)
{
	asked_to_end(
		*state,
		ATTACH "trap 'echo went wrong >&2; exit 9' INT; while :; do sleep 0.1; done",
		"\"reason\":\"scheduler-stop\",\"text\":\"asked to end, fake ended with exit code "
		"9; it says: went wrong\"");
}

static void a_crash_when_asked_to_end_is_judged(void **state)
{
	asked_to_end(*state, ATTACH "trap 'kill -SEGV $$' INT; while :; do sleep 0.1; done",
		     "asked to end, fake was ended by signal 11 (SIGSEGV)");
}

/* What a shell makes of a signal. */
static void exit_code_130_after_sigint_is_a_clean_stop(void **state)
{
	asked_to_end(*state, ATTACH "trap 'exit 130' INT; while :; do sleep 0.1; done", NULL);
}

static void missing_sched_ext_is_reported_separately(void **state)
{
	struct fixture *f = *state;
	const char *const argv[] = { "sh", NULL };
	const struct suite_scheduler_system none = { "/does/not/exist", "/x", "/x", "/x" };

	f->scheduler.system = &none;
	assert_error_tag(suite_scheduler_start(&f->scheduler, argv, "fake", &f->heard.report),
			 "absent");
	f->scheduler.system = &f->system;
	dir_write(&f->dir, "scx/root/ops", "other\n");
	assert_error_tag(suite_scheduler_start(&f->scheduler, argv, "fake", &f->heard.report),
			 "io");
	assert_string_equal(heard_text(&f->heard), "");
}

static void a_missing_scheduler_program_is_an_error_without_a_verdict(void **state)
{
	struct fixture *f = *state;
	const char *const argv[] = { "/nowhere/scx_none", NULL };
	struct error *err = suite_scheduler_start(&f->scheduler, argv, "fake", &f->heard.report);

	assert_non_null(err);
	assert_string_equal(error_message(err),
			    "scheduler fake: /nowhere/scx_none cannot be executed: "
			    "No such file or directory");
	error_free(err);
	assert_int_equal(f->scheduler.pid, 0);
	suite_scheduler_finish(&f->scheduler, &f->heard.report);
	assert_string_equal(heard_text(&f->heard), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(attached_and_stopped),
		cmocka_unit_test_setup_teardown(a_scheduler_that_exits_during_the_test_is_lost,
						set_up_fifo, tear_down),
		TEST(a_scheduler_disabled_by_the_kernel_is_lost),
		TEST(a_scheduler_that_ignores_signals_is_killed),
		TEST(missing_sched_ext_is_reported_separately),
		TEST(a_missing_scheduler_program_is_an_error_without_a_verdict),
		TEST(scheduler_attached_again_counts_as_lost),
		TEST(one_that_may_restart_is_counted),
		TEST(one_whose_restarts_cannot_be_counted_is_lost_for_that),
		TEST(a_scheduler_that_does_not_restart_is_lost),
		TEST(a_scheduler_away_at_the_end_must_restart),
		cmocka_unit_test_setup_teardown(a_scheduler_that_returns_at_the_end_has_restarted,
						set_up_fifo, tear_down),
		TEST(the_error_before_a_restart_is_reported),
		TEST(a_scheduler_ended_by_the_kernel_before_the_stop_fails),
		TEST(an_end_that_is_not_judged_has_no_part),
		TEST(an_exit_code_when_asked_to_end_is_judged),
		TEST(a_crash_when_asked_to_end_is_judged),
		TEST(exit_code_130_after_sigint_is_a_clean_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
