// SPDX-License-Identifier: GPL-2.0-or-later
#include "checks/check.h"

#include "told.h"

static void a_worker_outside_its_cpu_set_is_named_with_the_cpu(void **state UNUSED)
{
	_cleanup_told_ struct told t;
	struct exchange_worker *w;

	told_prepare(&t, 2);
	t.test.checks.isolation = KTSTR_REQUIRED;
	w = &t.report.workers.at[1];
	topo_cpuset_add(&w->outside, 3);
	topo_cpuset_add_range(&w->outside, 5, 6);
	topo_cpuset_add_range(&w->outside_had, 0, 1);
	w->outside_at_ns = 1200000000;
	evaluate(&t);
	assert_one_part(&t, KTSTR_REASON_CHECK,
			"worker 51 (spin) ran on CPU 3,5-6, 1.2 s into its work; its cgroup left "
			"had 0-1 then");
	assert_true(has_note(&t, "isolation left: 1 of 2 workers"));
}

static void isolation_is_off_unless_asked_for(void **state UNUSED)
{
	_cleanup_told_ struct told t;

	told_prepare(&t, 1);
	topo_cpuset_add(&t.report.workers.at[0].outside, 3);
	evaluate(&t);
	assert_int_equal(t.outcome.parts.n, 0);
}

/* The set may have been moved: what counts is what it was at each moment. */
static void isolation_accepts_a_cpu_added_to_the_cgroup_later(void **state UNUSED)
{
	_cleanup_told_ struct told t;

	told_prepare(&t, 1);
	t.test.checks.isolation = KTSTR_REQUIRED;
	topo_cpuset_add(&t.report.workers.at[0].cpus, 3);
	evaluate(&t);
	assert_int_equal(t.outcome.parts.n, 0);
}

static void isolation_that_was_not_compared_gives_no_evidence(void **state UNUSED)
{
	_cleanup_told_ struct told t;

	told_prepare(&t, 2);
	t.test.checks.isolation = KTSTR_REQUIRED;
	t.report.workers.at[1].has_outside = false;
	evaluate(&t);
	assert_one_part(&t, KTSTR_REASON_NO_EVIDENCE,
			"isolation of left: the CPUs of worker 51 (spin) were not compared");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_worker_outside_its_cpu_set_is_named_with_the_cpu),
		cmocka_unit_test(isolation_is_off_unless_asked_for),
		cmocka_unit_test(isolation_accepts_a_cpu_added_to_the_cgroup_later),
		cmocka_unit_test(isolation_that_was_not_compared_gives_no_evidence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
