// SPDX-License-Identifier: GPL-2.0-or-later
#include "checks/check.h"

#include "told.h"

static struct exchange_worker worker(const char *cgroup, uint64_t cpu_ns)
{
	return (struct exchange_worker){
		.cgroup = (char *)(uintptr_t)cgroup,
		.kind = (char *)(uintptr_t)"spin",
		.end = (char *)(uintptr_t)"finished",
		.cpu_ns = cpu_ns,
	};
}

static void the_difference_is_a_share_of_the_largest(void **state UNUSED)
{
	struct exchange_worker workers[] = { worker("a", 800), worker("b", 1), worker("a", 1000),
					     worker("a", 900) };
	struct checks_spread spread = checks_spread_of(workers, ARRAY_SIZE(workers), "a");

	assert_true(spread.known);
	assert_int_equal(spread.workers, 3);
	assert_true(spread.pct > 19.999 && spread.pct < 20.001);
}

static void spread_is_unknown_for_one_worker_or_no_cpu_time(void **state UNUSED)
{
	struct exchange_worker workers[] = { worker("a", 800), worker("b", 0), worker("b", 0) };

	assert_false(checks_spread_of(workers, ARRAY_SIZE(workers), "a").known);
	assert_false(checks_spread_of(workers, ARRAY_SIZE(workers), "b").known);
	assert_int_equal(checks_spread_of(workers, ARRAY_SIZE(workers), "b").workers, 2);
	assert_int_equal(checks_spread_of(workers, ARRAY_SIZE(workers), "c").workers, 0);
}

static void sleepers_and_those_that_never_started_do_not_count(void **state UNUSED)
{
	struct exchange_worker workers[] = { worker("a", 800), worker("a", 1), worker("a", 2),
					     worker("a", 400) };

	workers[1].kind = (char *)(uintptr_t)"sleep";
	workers[2].end = (char *)(uintptr_t)"never-started";
	assert_int_equal(checks_spread_of(workers, ARRAY_SIZE(workers), "a").workers, 2);
	assert_true(checks_spread_of(workers, ARRAY_SIZE(workers), "a").pct == 50);
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

static void a_starved_worker_means_a_spread_of_100_percent(void **state UNUSED)
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

/* What the host did is not in a CPU time of a virtual clock, so nothing excuses it. */
static void a_spread_of_a_virtual_clock_has_no_error_bar(void **state UNUSED)
{
	_cleanup_told_ struct told t;

	told_prepare(&t, 2);
	t.clock.is_virtual = true;
	t.test.checks.max_spread_pct = (struct ktstr_limit)KTSTR_AT_MOST(15);
	t.report.workers.at[1].cpu_ns = 790000000;
	t.disturbance.run_delay_ns = 450000000;
	evaluate(&t);
	assert_one_part(&t, KTSTR_REASON_CHECK, "spread of left is 21 % (limit 15 %)");
	assert_true(has_note(&t, "spread left 21 % of at most 15 %"));
}

static void a_spread_with_nothing_to_compare_gives_no_evidence(void **state UNUSED)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_difference_is_a_share_of_the_largest),
		cmocka_unit_test(spread_is_unknown_for_one_worker_or_no_cpu_time),
		cmocka_unit_test(sleepers_and_those_that_never_started_do_not_count),
		cmocka_unit_test(a_spread_up_to_its_limit_holds),
		cmocka_unit_test(a_starved_worker_means_a_spread_of_100_percent),
		cmocka_unit_test(a_spread_within_the_error_bar_blames_the_host),
		cmocka_unit_test(a_spread_of_a_virtual_clock_has_no_error_bar),
		cmocka_unit_test(a_spread_with_nothing_to_compare_gives_no_evidence),
		cmocka_unit_test(one_cgroup_to_compare_is_enough),
		cmocka_unit_test(cgroups_are_not_compared_with_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
