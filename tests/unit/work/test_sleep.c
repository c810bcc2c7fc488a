// SPDX-License-Identifier: GPL-2.0-or-later
#include "work/work.h"

#include <sys/resource.h>

#include "base/clock.h"
#include "fixture.h"

static void a_step_works_a_little_and_sleeps(void **state UNUSED)
{
	struct rusage before, after;
	struct in_process p;

	in_process_begin(&p, 0, 4);
	getrusage(RUSAGE_THREAD, &before);
	for (int i = 0; i < 5; i++)
		work_step_sleep(&p.self);
	getrusage(RUSAGE_THREAD, &after);
	assert_true(p.self.figures.iterations == 5);
	assert_true(p.self.figures.units > 0);
	assert_true(p.self.figures.sleep_ns == 20 * NS_PER_MS);
	/* It gave the CPU away each time. */
	assert_true(after.ru_nvcsw - before.ru_nvcsw >= 5);
}

static void a_stopped_sleep_is_not_an_iteration(void **state UNUSED)
{
	struct in_process p;

	in_process_begin(&p, 0, 10000);
	atomic_store(&p.stop, 1);
	work_step_sleep(&p.self);
	assert_true(p.self.figures.iterations == 0);
	assert_true(p.self.figures.units > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_step_works_a_little_and_sleeps),
		cmocka_unit_test(a_stopped_sleep_is_not_an_iteration),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
