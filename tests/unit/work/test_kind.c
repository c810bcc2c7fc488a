// SPDX-License-Identifier: GPL-2.0-or-later
#include "work/work.h"

#include "fixture.h"

static void every_kind_of_work_has_a_step_and_a_meaning(void **state UNUSED)
{
	for (int kind = KTSTR_WORK_NONE + 1; kind < KTSTR_N_WORK_KINDS; kind++) {
		const struct work_kind_info *info = work_kind_info((enum ktstr_work_kind)kind);

		assert_non_null(info);
		assert_non_null(info->step);
		assert_true(strlen(info->meaning) > 0 && strlen(info->iteration) > 0);
	}
	assert_string_equal(work_kind_info(KTSTR_WORK_SPIN)->name, "spin");
	assert_string_equal(work_kind_info(KTSTR_WORK_BURSTY)->name, "bursty");
	assert_string_equal(work_kind_info(KTSTR_WORK_YIELD)->name, "yield");
	assert_string_equal(work_kind_info(KTSTR_WORK_SLEEP)->name, "sleep");
}

static void what_is_not_a_kind_has_no_info(void **state UNUSED)
{
	assert_null(work_kind_info(KTSTR_WORK_NONE));
	assert_null(work_kind_info(KTSTR_N_WORK_KINDS));
	assert_null(work_kind_info((enum ktstr_work_kind) - 1));
}

static void parameters_have_the_defaults_of_the_reference(void **state UNUSED)
{
	assert_int_equal(work_kind_info(KTSTR_WORK_BURSTY)->normal.burst_ms, 50);
	assert_int_equal(work_kind_info(KTSTR_WORK_BURSTY)->normal.sleep_ms, 100);
	assert_int_equal(work_kind_info(KTSTR_WORK_SLEEP)->normal.sleep_ms, 10);
	assert_int_equal(work_kind_info(KTSTR_WORK_SPIN)->normal.sleep_ms, 0);
}

static void declared_parameters_replace_the_defaults(void **state UNUSED)
{
	struct ktstr_work said = { KTSTR_WORK_BURSTY, .workers = 3, .sleep_ms = 7 };
	struct ktstr_work work = work_resolve(&said);

	assert_int_equal(work.kind, KTSTR_WORK_BURSTY);
	assert_int_equal(work.workers, 3);
	assert_int_equal(work.burst_ms, 50);
	assert_int_equal(work.sleep_ms, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_of_work_has_a_step_and_a_meaning),
		cmocka_unit_test(what_is_not_a_kind_has_no_info),
		cmocka_unit_test(parameters_have_the_defaults_of_the_reference),
		cmocka_unit_test(declared_parameters_replace_the_defaults),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
