// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/spread.h"

#include "unit.h"

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
	struct test_report report = { .workers = { workers, 4, 4 } };
	struct spread spread = spread_of(&report, "a");

	assert_true(spread.known);
	assert_int_equal(spread.workers, 3);
	assert_true(spread.pct > 19.999 && spread.pct < 20.001);
}

static void one_worker_or_no_time_is_no_spread(void **state UNUSED)
{
	struct exchange_worker workers[] = { worker("a", 800), worker("b", 0), worker("b", 0) };
	struct test_report report = { .workers = { workers, 3, 3 } };

	assert_false(spread_of(&report, "a").known);
	assert_false(spread_of(&report, "b").known);
	assert_int_equal(spread_of(&report, "b").workers, 2);
	assert_int_equal(spread_of(&report, "c").workers, 0);
}

static void sleepers_and_those_that_never_started_do_not_count(void **state UNUSED)
{
	struct exchange_worker workers[] = { worker("a", 800), worker("a", 1), worker("a", 2),
					     worker("a", 400) };
	struct test_report report = { .workers = { workers, 4, 4 } };

	workers[1].kind = (char *)(uintptr_t)"sleep";
	workers[2].end = (char *)(uintptr_t)"never-started";
	assert_int_equal(spread_of(&report, "a").workers, 2);
	assert_true(spread_of(&report, "a").pct == 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_difference_is_a_share_of_the_largest),
		cmocka_unit_test(one_worker_or_no_time_is_no_spread),
		cmocka_unit_test(sleepers_and_those_that_never_started_do_not_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
