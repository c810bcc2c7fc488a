// SPDX-License-Identifier: GPL-2.0-or-later
#include "checks/check.h"

#include "told.h"

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

static void a_cgroup_without_worker_reports_gives_no_evidence(void **state UNUSED)
{
	_cleanup_told_ struct told t;

	told_prepare(&t, 1);
	told_declare(&t, "right", 2);
	evaluate(&t);
	assert_one_part(&t, KTSTR_REASON_NO_EVIDENCE, "right was given 2 workers, 0 reported");
}

static void a_wrong_number_of_workers_gives_no_evidence(void **state UNUSED)
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

static void equal_failures_past_the_limit_are_only_counted(void **state UNUSED)
{
	_cleanup_told_ struct told t;

	told_prepare(&t, 1000);
	for (size_t i = 0; i < t.report.workers.n; i++)
		t.report.workers.at[i].stall_ns = 1000000000000;
	evaluate(&t);
	assert_int_equal(t.outcome.parts.n, CHECKS_LIMIT_PARTS);
	assert_true(has_note(&t, "progress left: 992 more like this"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(workers_that_worked_leave_notes_and_no_part),
		cmocka_unit_test(a_worker_that_never_started_is_a_broken_setup),
		cmocka_unit_test(a_cgroup_without_worker_reports_gives_no_evidence),
		cmocka_unit_test(a_wrong_number_of_workers_gives_no_evidence),
		cmocka_unit_test(a_cgroup_without_work_needs_no_evidence),
		cmocka_unit_test(equal_failures_past_the_limit_are_only_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
