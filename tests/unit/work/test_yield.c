// SPDX-License-Identifier: GPL-2.0-or-later
#include "work/work.h"

#include <sys/syscall.h>

#include "fixture.h"

static unsigned int yields;

/* In the place of libc's: switches that the kernel counts depend on who else wants the CPU. */
int sched_yield(void)
{
	yields++;
	return (int)syscall(SYS_sched_yield);
}

static void an_iteration_is_a_yield(void **state UNUSED)
{
	struct in_process p;

	in_process_begin(&p, 0, 0);
	yields = 0;
	for (int i = 0; i < 100; i++)
		work_step_yield(&p.self);
	assert_int_equal(yields, 100);
	assert_true(p.self.figures.iterations == 100);
	assert_true(p.self.figures.units > 0);
	assert_true(p.self.figures.sleep_ns == 0);
}

static void every_yield_is_followed_by_a_checkpoint(void **state UNUSED)
{
	struct in_process p;
	uint64_t before;

	in_process_begin(&p, 0, 0);
	before = p.self.figures.samples;
	for (int i = 0; i < 100; i++)
		work_step_yield(&p.self);
	assert_true(p.self.figures.samples == before + 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_iteration_is_a_yield),
		cmocka_unit_test(every_yield_is_followed_by_a_checkpoint),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
