// SPDX-License-Identifier: GPL-2.0-or-later
#include "work/work.h"

#include "base/clock.h"
#include "fixture.h"

static void a_step_is_a_burst_and_a_sleep(void **state UNUSED)
{
	struct in_process p;

	in_process_begin(&p, 5, 7);
	for (int i = 0; i < 3; i++)
		work_step_bursty(&p.self);
	assert_true(p.self.figures.iterations == 3);
	assert_true(p.self.figures.units > 0);
	assert_true(p.self.figures.sleep_ns == 21 * NS_PER_MS);
	assert_true(clock_monotonic_ns() - p.self.opened_at_ns >= 36 * NS_PER_MS);
}

static void a_burst_that_was_stopped_is_work_but_no_iteration(void **state UNUSED)
{
	struct in_process p;

	in_process_begin(&p, 10000, 10000);
	work_self_spin(&p.self);
	atomic_store(&p.stop, 1);
	work_step_bursty(&p.self);
	assert_true(p.self.figures.iterations == 0);
	assert_true(p.self.figures.units > 0);
	assert_true(p.self.figures.sleep_ns == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_step_is_a_burst_and_a_sleep),
		cmocka_unit_test(a_burst_that_was_stopped_is_work_but_no_iteration),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
