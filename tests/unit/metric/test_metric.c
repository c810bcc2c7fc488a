// SPDX-License-Identifier: GPL-2.0-or-later
#include "metric/sample.h"

#include "unit.h"

static void names_are_found_and_unique(void **state UNUSED)
{
	for (int i = 0; i < METRIC_N; i++) {
		enum metric_id id;

		assert_true(metric_find(metric_rows[i].name, &id));
		assert_int_equal(id, i);
	}
}

static void an_unknown_name_is_not_found(void **state UNUSED)
{
	enum metric_id id = METRIC_NICE;

	assert_false(metric_find("nice ", &id));
	assert_false(metric_find("", &id));
	assert_int_equal(id, METRIC_NICE);
}

/* The rows of a section belong to its sources, so that reading fewer files costs whole rows. */
static void delays_come_from_taskstats_and_nothing_else_does(void **state UNUSED)
{
	for (int i = 0; i < METRIC_N; i++) {
		bool delay = metric_rows[i].section == METRIC_SECTION_TASKSTATS_DELAY;
		bool taskstats = metric_rows[i].source == METRIC_SOURCE_DELAY_CPU ||
				 metric_rows[i].source == METRIC_SOURCE_DELAY_BLOCK ||
				 metric_rows[i].source == METRIC_SOURCE_XACCT;

		assert_int_equal(delay, taskstats);
	}
}

static void values_that_were_not_set_are_unknown(void **state UNUSED)
{
	struct metric_thread_sample sample = { .tid = 1 };

	for (int i = 0; i < METRIC_N; i++)
		assert_false(metric_sample_knows(&sample, (enum metric_id)i));
	metric_sample_set(&sample, METRIC_HIWATER_VM_BYTES, 0);
	for (int i = 0; i < METRIC_N; i++)
		assert_int_equal(metric_sample_knows(&sample, (enum metric_id)i),
				 i == METRIC_HIWATER_VM_BYTES);
	metric_sample_forget(&sample, METRIC_HIWATER_VM_BYTES);
	assert_false(metric_sample_knows(&sample, METRIC_HIWATER_VM_BYTES));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_found_and_unique),
		cmocka_unit_test(an_unknown_name_is_not_found),
		cmocka_unit_test(delays_come_from_taskstats_and_nothing_else_does),
		cmocka_unit_test(values_that_were_not_set_are_unknown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
