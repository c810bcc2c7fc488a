// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/progress.h"

#include "told.h"

static double limit_ms(unsigned int workers, unsigned int cpus)
{
	_cleanup_told_ struct told t;

	told_init(&t);
	told_made(&t, "left", 0, cpus - 1);
	for (unsigned int i = 0; i < workers; i++)
		told_worker(&t, i % 2 ? "left" : "right");
	return progress_limit_ms(&t.report, &t.report.cgroups.at[0]);
}

/* The figures of docs/VERDICTS.md. */
static void every_worker_may_have_a_turn_before(void **state UNUSED)
{
	assert_float_equal(limit_ms(2, 2), 1100, 1e-4);
	assert_float_equal(limit_ms(3, 2), 1200, 1e-4);
	assert_float_equal(limit_ms(64, 2), 4200, 1e-4);
	assert_float_equal(limit_ms(1, 64), 1100, 1e-4);
}

static void cpus_that_are_not_known_are_one(void **state UNUSED)
{
	_cleanup_told_ struct told t;

	told_init(&t);
	told_made(&t, "left", 0, 3);
	t.report.cgroups.at[0].cpus = (struct cpuset){ 0 };
	for (unsigned int i = 0; i < 4; i++)
		told_worker(&t, "left");
	assert_float_equal(progress_limit_ms(&t.report, NULL), 1400, 1e-4);
	assert_float_equal(progress_limit_ms(&t.report, &t.report.cgroups.at[0]), 1400, 1e-4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_worker_may_have_a_turn_before),
		cmocka_unit_test(cpus_that_are_not_known_are_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
