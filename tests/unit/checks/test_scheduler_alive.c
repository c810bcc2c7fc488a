// SPDX-License-Identifier: GPL-2.0-or-later
#include "checks/check.h"

#include "told.h"

static void prepare_scheduler(struct told *t, const char *end)
{
	told_prepare(t, 1);
	told_scheduler(t);
	t->report.scheduler = (struct exchange_scheduler){
		.started = true,
		.attached = true,
		.ended = end != NULL,
		.end = end ? xstrdup(end) : NULL,
		.ops = xstrdup("ktfifo"),
	};
}

static void a_scheduler_stopped_by_us_counts_as_alive(void **state UNUSED)
{
	static const char *const lived[] = { "stopped", "killed", "stuck" };

	for (size_t i = 0; i < ARRAY_SIZE(lived); i++) {
		_cleanup_told_ struct told t;

		prepare_scheduler(&t, lived[i]);
		evaluate(&t);
		assert_int_equal(t.outcome.parts.n, 0);
		assert_true(has_note(&t, "scheduler ktfifo: alive at the end"));
		assert_true(has_note(&t, lived[i]));
	}
}

static void the_kernels_exit_reason_fails_a_scheduler_that_exited_cleanly(void **state UNUSED)
{
	static const struct {
		const char *reason;
		size_t parts;
	} cases[] = {
		{ "unregistered from user space", 0 },
		{ "unregistered from the main kernel", 0 },
		{ "runnable task stall: spin[77] failed to run for 29.348s", 1 },
		{ "runtime error: x", 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_told_ struct told t;

		prepare_scheduler(&t, "stopped");
		t.report.scheduler.kernel_reason = xstrdup(cases[i].reason);
		evaluate(&t);
		assert_int_equal(t.outcome.parts.n, cases[i].parts);
		if (cases[i].parts)
			assert_one_part(&t, KTSTR_REASON_SCHED_EXIT, cases[i].reason);
	}
}

/* Asked to end, it crashed: the guest has told that, and it was alive during the work. */
static void a_scheduler_that_crashed_while_stopping_counts_as_alive(void **state UNUSED)
{
	_cleanup_told_ struct told t;

	prepare_scheduler(&t, "signalled 11");
	t.report.scheduler.asked = true;
	evaluate(&t);
	assert_int_equal(t.outcome.parts.n, 0);
	assert_true(has_note(&t, "alive at the end (signalled 11)"));
}

static void work_under_another_scheduler_proves_nothing(void **state UNUSED)
{
	static const struct {
		uint64_t ext_ns, other_ns, ext, other;
		bool may_restart;
		enum ktstr_reason reason; /* NONE: fine */
	} cases[] = {
		{ 0, 900, 0, 9, false, KTSTR_REASON_SCHED_UNUSED },
		{ 940, 60, 8, 1, false, KTSTR_REASON_SCHED_UNUSED },
		{ 950, 50, 8, 1, false, KTSTR_REASON_NONE },
		{ 940, 60, 8, 1, true, KTSTR_REASON_NONE },
		{ 490, 510, 8, 1, true, KTSTR_REASON_SCHED_UNUSED },
		/* One that sleeps. */
		{ 0, 0, 9, 0, false, KTSTR_REASON_NONE },
		{ 0, 0, 0, 9, false, KTSTR_REASON_SCHED_UNUSED },
		{ 0, 0, 0, 0, false, KTSTR_REASON_NO_EVIDENCE },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_told_ struct told t;
		struct exchange_worker *w;

		prepare_scheduler(&t, "stopped");
		t.test.scheduler.may_restart = cases[i].may_restart;
		w = &t.report.workers.at[0];
		w->ext_ns = cases[i].ext_ns;
		w->other_ns = cases[i].other_ns;
		w->ext_samples = cases[i].ext;
		w->other_samples = cases[i].other;
		evaluate(&t);
		if (cases[i].reason == KTSTR_REASON_NONE)
			assert_int_equal(t.outcome.parts.n, 0);
		else
			assert_one_part(&t, cases[i].reason, "worker 50 (spin) of left");
	}
}

static void a_scheduler_that_ended_by_itself_fails_and_hides_the_rest(void **state UNUSED)
{
	_cleanup_told_ struct told t;

	prepare_scheduler(&t, "exited 1");
	t.report.scheduler.kernel_reason = xstrdup("runnable task stall");
	t.report.workers.at[0].stall_ns = 5000000000;
	evaluate(&t);
	assert_one_part(&t, KTSTR_REASON_SCHED_EXIT,
			"before it was stopped: exited 1; the kernel says: runnable task stall");
}

static void a_scheduler_exit_is_reported_only_once(void **state UNUSED)
{
	_cleanup_told_ struct told t;

	prepare_scheduler(&t, "exited 1");
	t.exit_reported = true;
	evaluate(&t);
	assert_int_equal(t.outcome.parts.n, 0);
}

static void an_unreported_scheduler_gives_no_evidence(void **state UNUSED)
{
	_cleanup_told_ struct told t, never;

	prepare_scheduler(&t, NULL);
	evaluate(&t);
	assert_one_part(&t, KTSTR_REASON_NO_EVIDENCE, "whether the scheduler lived");
	told_prepare(&never, 1);
	told_scheduler(&never);
	evaluate(&never);
	assert_one_part(&never, KTSTR_REASON_NO_EVIDENCE, "whether the scheduler was attached");
}

static void a_scheduler_may_be_allowed_to_end(void **state UNUSED)
{
	_cleanup_told_ struct told t;

	prepare_scheduler(&t, "exited 0");
	t.test.checks.scheduler_alive = KTSTR_OFF;
	evaluate(&t);
	assert_int_equal(t.outcome.parts.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_scheduler_stopped_by_us_counts_as_alive),
		cmocka_unit_test(the_kernels_exit_reason_fails_a_scheduler_that_exited_cleanly),
		cmocka_unit_test(a_scheduler_that_crashed_while_stopping_counts_as_alive),
		cmocka_unit_test(work_under_another_scheduler_proves_nothing),
		cmocka_unit_test(a_scheduler_that_ended_by_itself_fails_and_hides_the_rest),
		cmocka_unit_test(a_scheduler_exit_is_reported_only_once),
		cmocka_unit_test(an_unreported_scheduler_gives_no_evidence),
		cmocka_unit_test(a_scheduler_may_be_allowed_to_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
