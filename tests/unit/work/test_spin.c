// SPDX-License-Identifier: GPL-2.0-or-later
#include "work/work.h"

#include "base/clock.h"
#include "fixture.h"

static void an_iteration_is_a_unit_of_work(void **state UNUSED)
{
	struct in_process p;

	in_process_begin(&p, 0, 0);
	for (int i = 0; i < 20; i++)
		work_step_spin(&p.self);
	assert_true(p.self.figures.iterations >= 20);
	assert_true(p.self.figures.iterations == p.self.figures.units);
	assert_true(p.self.figures.sleep_ns == 0);
}

static void every_step_ends_in_a_checkpoint(void **state UNUSED)
{
	struct in_process p;
	uint64_t before;

	in_process_begin(&p, 0, 0);
	before = p.self.figures.samples;
	for (int i = 0; i < 20; i++)
		work_step_spin(&p.self);
	assert_true(p.self.figures.samples == before + 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_iteration_is_a_unit_of_work),
		cmocka_unit_test(every_step_ends_in_a_checkpoint),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
