// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/judge.h"

#include "told.h"

static void evaluate(struct told *t)
{
	harness_check(&t->test, &t->report, &t->disturbance, &t->outcome);
}

static void parts_and_notes_reach_the_outcome(void **state UNUSED)
{
	_cleanup_told_ struct told t;

	told_prepare(&t, 2);
	t.report.workers.at[1].units = 0;
	t.report.workers.at[1].stall_ns = 5000000000;
	evaluate(&t);
	assert_one_part(&t, KTSTR_REASON_CHECK, "worker 51 (spin) of left did no work");
	assert_true(has_note(&t, "progress left: 1 of 2 workers"));
}

/* Two turns on two CPUs: 1.1 s are no stall, on one CPU 1.2 s. */
static void the_cpus_of_a_cgroup_are_those_that_were_reported(void **state UNUSED)
{
	_cleanup_told_ struct told two, one;

	told_prepare(&two, 2);
	two.report.workers.at[0].stall_ns = 1150000000;
	evaluate(&two);
	assert_one_part(&two, KTSTR_REASON_CHECK, "limit 1100 ms");

	told_init(&one);
	told_declare(&one, "left", 2);
	told_worker(&one, "left");
	told_worker(&one, "left")->stall_ns = 1150000000;
	evaluate(&one);
	assert_int_equal(one.outcome.parts.n, 0);
}

static void a_cgroup_without_work_is_not_checked(void **state UNUSED)
{
	_cleanup_told_ struct told t;

	told_init(&t);
	told_declare(&t, "left", 0);
	t.test.checks.max_spread_pct = (struct ktstr_limit)KTSTR_AT_MOST(15);
	evaluate(&t);
	assert_int_equal(t.outcome.parts.n, 0);
}

static void a_scheduler_that_ended_is_told_once(void **state UNUSED)
{
	_cleanup_told_ struct told t;

	told_prepare(&t, 1);
	told_scheduler(&t);
	t.report.scheduler = (struct exchange_scheduler){
		.started = true,
		.attached = true,
		.ended = true,
		.end = xstrdup("exited 1"),
	};
	result_outcome_add_part(&t.outcome, KTSTR_REASON_SCHED_EXIT, NULL, 0, "the test knew");
	evaluate(&t);
	assert_one_part(&t, KTSTR_REASON_SCHED_EXIT, "the test knew");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_and_notes_reach_the_outcome),
		cmocka_unit_test(the_cpus_of_a_cgroup_are_those_that_were_reported),
		cmocka_unit_test(a_cgroup_without_work_is_not_checked),
		cmocka_unit_test(a_scheduler_that_ended_is_told_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
