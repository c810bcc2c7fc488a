// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/spread.h"

#include "unit.h"

static struct reported_worker worker(const char *cgroup, uint64_t cpu_ns)
{
	return (struct reported_worker){ .cgroup = (char *)(uintptr_t)cgroup, .cpu_ns = cpu_ns };
}

static void the_difference_is_a_share_of_the_largest(void **state UNUSED)
{
	struct reported_worker workers[] = { worker("a", 800), worker("b", 1), worker("a", 1000),
					     worker("a", 900) };
	struct test_report report = { .workers = { workers, 4, 4 } };
	double spread;

	assert_true(spread_of(&report, "a", &spread));
	assert_true(spread > 19.999 && spread < 20.001);
}

static void one_worker_or_no_time_is_no_spread(void **state UNUSED)
{
	struct reported_worker workers[] = { worker("a", 800), worker("b", 0), worker("b", 0) };
	struct test_report report = { .workers = { workers, 3, 3 } };
	double spread;

	assert_false(spread_of(&report, "a", &spread));
	assert_false(spread_of(&report, "b", &spread));
	assert_false(spread_of(&report, "c", &spread));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_difference_is_a_share_of_the_largest),
		cmocka_unit_test(one_worker_or_no_time_is_no_spread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
