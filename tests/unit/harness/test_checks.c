// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/checks.h"

#include "harness/limits.h"
#include "told.h"

static void evaluate(struct told *t)
{
	checks_evaluate(&t->test, &t->report, &t->disturbance, &t->outcome);
}

static void workers_that_worked_leave_notes_and_no_part(void **state UNUSED)
{
	_cleanup_told_ struct told t;

	told_prepare(&t, 2);
	t.test.checks.isolation = KTSTR_REQUIRED;
	t.test.checks.max_spread_pct = (struct ktstr_limit)KTSTR_AT_MOST(15);
	t.test.checks.max_gap_ms = (struct ktstr_limit)KTSTR_AT_MOST(100);
	evaluate(&t);
	assert_int_equal(t.outcome.parts.n, 0);
	assert_true(has_note(&t, "progress left: 2 of 2 workers"));
	assert_true(
		has_note(&t, "isolation left: 2 of 2 workers seen on CPUs of their cgroup only"));
	assert_true(has_note(&t, "spread left 0 % of at most 15 %, error bar 0 %"));
	assert_true(has_note(&t, "gap left 0 ms of at most 100 ms, error bar 0 ms"));
}

/* Three workers on two CPUs: 1 s and two turns of 0.1 s are no stall. */
static void stalled(struct told *t, uint64_t units, uint64_t stall_ms)
{
	told_prepare(t, 3);
	t->report.workers.at[1].units = units;
	t->report.workers.at[1].stall_ns = stall_ms * 1000000;
}

static void a_worker_that_got_nothing_done_fails(void **state UNUSED)
{
	_cleanup_told_ struct told t;

	stalled(&t, 0, 5000);
	evaluate(&t);
	assert_one_part(&t, KTSTR_REASON_CHECK,
			"worker 51 (spin) of left got nothing done: it could not run for 5000 ms");
	assert_true(has_note(&t, "progress left: 2 of 3 workers"));
}

/* A burst that is longer than the test is work all the same. */
static void units_are_progress_without_a_whole_iteration(void **state UNUSED)
{
	_cleanup_told_ struct told t;

	told_prepare(&t, 2);
	t.report.workers.at[0].iterations = 0;
	evaluate(&t);
	assert_int_equal(t.outcome.parts.n, 0);
	assert_true(has_note(&t, "progress left: 2 of 2 workers"));
}

static void a_worker_without_progress_at_the_end_fails(void **state UNUSED)
{
	_cleanup_told_ struct told within, over;

	stalled(&within, 70, 1200);
	evaluate(&within);
	assert_int_equal(within.outcome.parts.n, 0);

	stalled(&over, 70, 1201);
	evaluate(&over);
	assert_one_part(&over, KTSTR_REASON_CHECK,
			"worker 51 (spin) of left made no progress at the end: it could not run "
			"for 1201 ms (limit 1200 ms), and the error bar is 0 ms");
	assert_true(has_note(&over, "progress left: 2 of 3 workers"));
}

static void a_stall_that_the_host_may_have_made_is_not_held_against_it(void **state UNUSED)
{
	_cleanup_told_ struct told busy, unknown;

	stalled(&busy, 70, 1500);
	busy.disturbance.run_delay_ns = 300000000;
	evaluate(&busy);
	assert_one_part(&busy, KTSTR_REASON_HOST_BUSY, "waiting for 300 ms in all");

	stalled(&unknown, 70, 1500);
	unknown.disturbance = (struct checks_disturbance){ .why = "QEMU is gone" };
	evaluate(&unknown);
	assert_one_part(&unknown, KTSTR_REASON_NO_EVIDENCE, "QEMU is gone");
}

static void nothing_done_in_a_time_too_short_is_no_evidence(void **state UNUSED)
{
	_cleanup_told_ struct told t;

	stalled(&t, 0, 900);
	evaluate(&t);
	assert_one_part(
		&t, KTSTR_REASON_NO_EVIDENCE,
		"got nothing done: it could not run for 900 ms, and a worker may wait 1200 ms");
}

static void a_worker_that_ended_early_fails(void **state UNUSED)
{
	static const struct {
		const char *end, *words;
	} cases[] = {
		{ "exited 3", "worker 50 (spin) of left ended by itself (exited 3)" },
		{ "signalled 11", "worker 50 (spin) of left was ended by signal 11" },
		{ "lost", "worker 50 (spin) of left was lost (lost)" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_told_ struct told t;

		told_prepare(&t, 1);
		told_end(&t.report.workers.at[0], cases[i].end);
		evaluate(&t);
		assert_one_part(&t, KTSTR_REASON_CHECK, cases[i].words);
	}
}

static void a_worker_that_had_to_be_killed_fails(void **state UNUSED)
{
	static const char *const ends[] = { "killed", "stuck" };

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		_cleanup_told_ struct told t;

		told_prepare(&t, 2);
		/* Whatever is asked for: it got no CPU in seconds. */
		t.test.checks.progress = KTSTR_OFF;
		told_end(&t.report.workers.at[0], ends[i]);
		evaluate(&t);
		assert_one_part(&t, KTSTR_REASON_WORKER_KILLED,
				"worker 50 (spin) of left did not stop when it was asked to");
	}
}

static void a_worker_that_never_started_is_a_broken_setup(void **state UNUSED)
{
	_cleanup_told_ struct told t;
	struct exchange_worker *w;

	told_prepare(&t, 2);
	t.test.checks.isolation = KTSTR_REQUIRED;
	t.test.checks.max_gap_ms = (struct ktstr_limit)KTSTR_AT_MOST(100);
	w = &t.report.workers.at[1];
	told_end(w, "never-started");
	w->units = w->samples = 0;
	w->has_outside = false;
	evaluate(&t);
	assert_one_part(&t, KTSTR_REASON_SETUP, "worker 51 (spin) of left never started");
}

static void progress_may_be_switched_off(void **state UNUSED)
{
	_cleanup_told_ struct told t;

	told_prepare(&t, 1);
	t.report.workers.at[0].units = 0;
	t.report.workers.at[0].stall_ns = 5000000000;
	t.test.checks.progress = KTSTR_OFF;
	evaluate(&t);
	assert_int_equal(t.outcome.parts.n, 0);
	assert_int_equal(t.outcome.notes.n, 0);
}

static void a_cgroup_without_reports_is_no_evidence(void **state UNUSED)
{
	_cleanup_told_ struct told t;

	told_prepare(&t, 1);
	told_declare(&t, "right", 2);
	evaluate(&t);
	assert_one_part(&t, KTSTR_REASON_NO_EVIDENCE, "right was given 2 workers, 0 reported");
}

static void a_worker_too_few_or_too_many_is_no_evidence(void **state UNUSED)
{
	for (unsigned int declared = 2; declared <= 4; declared += 2) {
		_cleanup_told_ struct told t;

		told_prepare(&t, 3);
		t.test.cgroups.at[0].workers = declared;
		t.report.workers.at[2].stall_ns = 5000000000;
		evaluate(&t);
		assert_int_equal(count_parts(&t, KTSTR_REASON_NO_EVIDENCE), 1);
		/* What did report is looked at. */
		assert_int_equal(count_parts(&t, KTSTR_REASON_CHECK), 1);
	}
}

static void a_cgroup_without_work_needs_no_evidence(void **state UNUSED)
{
	_cleanup_told_ struct told t;

	told_init(&t);
	told_declare(&t, "left", 0);
	t.test.checks.max_spread_pct = (struct ktstr_limit)KTSTR_AT_MOST(15);
	evaluate(&t);
	assert_int_equal(t.outcome.parts.n, 0);
}

static void a_worker_on_a_foreign_cpu_is_named_with_it(void **state UNUSED)
{
	_cleanup_told_ struct told t;
	struct exchange_worker *w;

	told_prepare(&t, 2);
	t.test.checks.isolation = KTSTR_REQUIRED;
	w = &t.report.workers.at[1];
	cpuset_add(&w->outside, 3);
	cpuset_add_range(&w->outside, 5, 6);
	cpuset_add_range(&w->outside_had, 0, 1);
	w->outside_at_ns = 1200000000;
	evaluate(&t);
	assert_one_part(&t, KTSTR_REASON_CHECK,
			"worker 51 (spin) ran on CPU 3,5-6, 1.2 s into its work; its cgroup left "
			"had 0-1 then");
	assert_true(has_note(&t, "isolation left: 1 of 2 workers"));
}

/* The set may have been moved: what counts is what it was at each moment. */
static void a_cpu_that_the_cgroup_got_later_is_its_own(void **state UNUSED)
{
	_cleanup_told_ struct told t;

	told_prepare(&t, 1);
	t.test.checks.isolation = KTSTR_REQUIRED;
	cpuset_add(&t.report.workers.at[0].cpus, 3);
	evaluate(&t);
	assert_int_equal(t.outcome.parts.n, 0);
}

static void isolation_is_off_unless_asked_for(void **state UNUSED)
{
	_cleanup_told_ struct told t;

	told_prepare(&t, 1);
	cpuset_add(&t.report.workers.at[0].outside, 3);
	evaluate(&t);
	assert_int_equal(t.outcome.parts.n, 0);
}

static void isolation_that_was_not_compared_is_no_evidence(void **state UNUSED)
{
	_cleanup_told_ struct told t;

	told_prepare(&t, 2);
	t.test.checks.isolation = KTSTR_REQUIRED;
	t.report.workers.at[1].has_outside = false;
	evaluate(&t);
	assert_one_part(&t, KTSTR_REASON_NO_EVIDENCE,
			"isolation of left: the CPUs of worker 51 (spin) were not compared");
}

/* Two workers with 1 s and `other_ms`, limit 15 %. */
static void spread(struct told *t, uint64_t other_ms)
{
	told_prepare(t, 2);
	t->test.checks.max_spread_pct = (struct ktstr_limit)KTSTR_AT_MOST(15);
	t->report.workers.at[1].cpu_ns = other_ms * 1000000;
	evaluate(t);
}

static void a_spread_up_to_its_limit_holds(void **state UNUSED)
{
	_cleanup_told_ struct told t, over;

	spread(&t, 850);
	assert_int_equal(t.outcome.parts.n, 0);
	assert_true(has_note(&t, "spread left 15 % of at most 15 %"));
	spread(&over, 849);
	assert_one_part(&over, KTSTR_REASON_CHECK, "spread of left is 15.1 % (limit 15 %)");
}

static void a_starved_worker_is_all_the_spread_there_is(void **state UNUSED)
{
	_cleanup_told_ struct told t;

	spread(&t, 0);
	assert_one_part(&t, KTSTR_REASON_CHECK, "spread of left is 100 % (limit 15 %)");
}

static void a_spread_within_the_error_bar_blames_the_host(void **state UNUSED)
{
	_cleanup_told_ struct told t;

	told_prepare(&t, 2);
	t.test.checks.max_spread_pct = (struct ktstr_limit)KTSTR_AT_MOST(15);
	t.report.workers.at[1].cpu_ns = 790000000;
	t.disturbance.run_delay_ns = 450000000; /* 9 % of 5 s */
	evaluate(&t);
	assert_one_part(&t, KTSTR_REASON_HOST_BUSY, "spread of left is 21 % (limit 15 %)");
	assert_contains(t.outcome.parts.at[0].text,
			"the host kept the guest waiting 9 % of the time");
}

static void a_spread_with_nothing_to_compare_is_no_evidence(void **state UNUSED)
{
	_cleanup_told_ struct told one, none, sleepers;

	told_prepare(&one, 1);
	one.test.checks.max_spread_pct = (struct ktstr_limit)KTSTR_AT_MOST(15);
	evaluate(&one);
	assert_one_part(&one, KTSTR_REASON_NO_EVIDENCE, "two workers that computed");

	told_prepare(&none, 2);
	none.test.checks.max_spread_pct = (struct ktstr_limit)KTSTR_AT_MOST(15);
	none.report.workers.at[0].cpu_ns = none.report.workers.at[1].cpu_ns = 0;
	evaluate(&none);
	assert_one_part(&none, KTSTR_REASON_NO_EVIDENCE, "no worker had any CPU time");

	told_prepare(&sleepers, 2);
	sleepers.test.checks.max_spread_pct = (struct ktstr_limit)KTSTR_AT_MOST(15);
	sleepers.report.workers.at[0].cpu_ns = 1;
	for (int i = 0; i < 2; i++) {
		free(sleepers.report.workers.at[i].kind);
		sleepers.report.workers.at[i].kind = xstrdup("sleep");
	}
	evaluate(&sleepers);
	assert_one_part(&sleepers, KTSTR_REASON_NO_EVIDENCE, "two workers that computed");
}

static void one_cgroup_to_compare_is_enough(void **state UNUSED)
{
	_cleanup_told_ struct told t;

	told_prepare(&t, 2);
	told_declare(&t, "right", 1);
	told_worker(&t, "right");
	t.test.checks.max_spread_pct = (struct ktstr_limit)KTSTR_AT_MOST(15);
	evaluate(&t);
	assert_int_equal(t.outcome.parts.n, 0);
}

/* Each cgroup is compared in itself. */
static void cgroups_are_not_compared_with_each_other(void **state UNUSED)
{
	_cleanup_told_ struct told t;

	told_prepare(&t, 2);
	told_declare(&t, "right", 2);
	for (int i = 0; i < 2; i++)
		told_worker(&t, "right")->cpu_ns = 1000;
	t.test.checks.max_spread_pct = (struct ktstr_limit)KTSTR_AT_MOST(15);
	evaluate(&t);
	assert_int_equal(t.outcome.parts.n, 0);
	assert_true(has_note(&t, "spread right 0 %"));
}

static void the_longest_gap_is_told_with_its_place(void **state UNUSED)
{
	_cleanup_told_ struct told t;
	struct exchange_worker *w;

	told_prepare(&t, 3);
	t.test.checks.max_gap_ms = (struct ktstr_limit)KTSTR_AT_MOST(100);
	w = &t.report.workers.at[1];
	w->max_gap_ns = 250000000;
	w->gap_at_ns = 1200000000;
	w->has_gap_cpu = true;
	w->gap_cpu = 1;
	t.report.workers.at[2].max_gap_ns = 120000000;
	evaluate(&t);
	assert_one_part(
		&t, KTSTR_REASON_CHECK,
		"worker 51 (spin) of left, 1.2 s into its work and last on CPU 1, could not "
		"run for 250 ms (limit 100 ms), and the error bar is 0 ms");
	assert_true(has_note(&t, "gap left 250 ms of at most 100 ms, error bar 0 ms"));
}

static void a_gap_whose_cpu_nobody_knows_is_told_without(void **state UNUSED)
{
	_cleanup_told_ struct told t;

	told_prepare(&t, 1);
	t.test.checks.max_gap_ms = (struct ktstr_limit)KTSTR_AT_MOST(100);
	t.report.workers.at[0].max_gap_ns = 250000000;
	evaluate(&t);
	assert_one_part(&t, KTSTR_REASON_CHECK, "0.0 s into its work, could not run for 250 ms");
}

static void a_gap_the_host_may_have_made_blames_the_host(void **state UNUSED)
{
	_cleanup_told_ struct told t;

	told_prepare(&t, 1);
	t.test.checks.max_gap_ms = (struct ktstr_limit)KTSTR_AT_MOST(100);
	t.report.workers.at[0].max_gap_ns = 250000000;
	t.disturbance.longest_delay_ns = 150000000;
	evaluate(&t);
	assert_one_part(&t, KTSTR_REASON_HOST_BUSY, "waiting up to 150 ms at a time");
}

static void a_gap_nobody_looked_for_is_no_evidence(void **state UNUSED)
{
	_cleanup_told_ struct told t;

	told_prepare(&t, 1);
	t.test.checks.max_gap_ms = (struct ktstr_limit)KTSTR_AT_MOST(100);
	t.report.workers.at[0].samples = 0;
	evaluate(&t);
	assert_one_part(&t, KTSTR_REASON_NO_EVIDENCE, "never looked at the clock");
}

static void above_the_limit_with_an_unknown_host_is_no_evidence(void **state UNUSED)
{
	_cleanup_told_ struct told t;

	told_prepare(&t, 1);
	t.test.checks.max_gap_ms = (struct ktstr_limit)KTSTR_AT_MOST(100);
	t.report.workers.at[0].max_gap_ns = 250000000;
	t.disturbance = (struct checks_disturbance){ .why = "QEMU is gone" };
	evaluate(&t);
	assert_one_part(&t, KTSTR_REASON_NO_EVIDENCE, "QEMU is gone");
}

static void a_thousand_failures_are_counted_not_told(void **state UNUSED)
{
	_cleanup_told_ struct told t;

	told_prepare(&t, 1000);
	for (size_t i = 0; i < t.report.workers.n; i++)
		t.report.workers.at[i].stall_ns = 1000000000000;
	evaluate(&t);
	assert_int_equal(t.outcome.parts.n, CHECKS_PARTS_LIMIT);
	assert_true(has_note(&t, "progress left: 992 more like this"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(workers_that_worked_leave_notes_and_no_part),
		cmocka_unit_test(a_worker_that_got_nothing_done_fails),
		cmocka_unit_test(units_are_progress_without_a_whole_iteration),
		cmocka_unit_test(a_worker_without_progress_at_the_end_fails),
		cmocka_unit_test(a_stall_that_the_host_may_have_made_is_not_held_against_it),
		cmocka_unit_test(nothing_done_in_a_time_too_short_is_no_evidence),
		cmocka_unit_test(a_worker_that_ended_early_fails),
		cmocka_unit_test(a_worker_that_had_to_be_killed_fails),
		cmocka_unit_test(a_worker_that_never_started_is_a_broken_setup),
		cmocka_unit_test(progress_may_be_switched_off),
		cmocka_unit_test(a_cgroup_without_reports_is_no_evidence),
		cmocka_unit_test(a_worker_too_few_or_too_many_is_no_evidence),
		cmocka_unit_test(a_cgroup_without_work_needs_no_evidence),
		cmocka_unit_test(a_worker_on_a_foreign_cpu_is_named_with_it),
		cmocka_unit_test(isolation_is_off_unless_asked_for),
		cmocka_unit_test(a_cpu_that_the_cgroup_got_later_is_its_own),
		cmocka_unit_test(isolation_that_was_not_compared_is_no_evidence),
		cmocka_unit_test(a_spread_up_to_its_limit_holds),
		cmocka_unit_test(a_starved_worker_is_all_the_spread_there_is),
		cmocka_unit_test(a_spread_within_the_error_bar_blames_the_host),
		cmocka_unit_test(a_spread_with_nothing_to_compare_is_no_evidence),
		cmocka_unit_test(one_cgroup_to_compare_is_enough),
		cmocka_unit_test(cgroups_are_not_compared_with_each_other),
		cmocka_unit_test(the_longest_gap_is_told_with_its_place),
		cmocka_unit_test(a_gap_whose_cpu_nobody_knows_is_told_without),
		cmocka_unit_test(a_gap_the_host_may_have_made_blames_the_host),
		cmocka_unit_test(a_gap_nobody_looked_for_is_no_evidence),
		cmocka_unit_test(above_the_limit_with_an_unknown_host_is_no_evidence),
		cmocka_unit_test(a_thousand_failures_are_counted_not_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
