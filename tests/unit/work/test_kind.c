// SPDX-License-Identifier: GPL-2.0-or-later
#include "work/kind.h"

#include "fixture.h"

static void every_kind_is_found_by_its_word(void **state UNUSED)
{
	for (int kind = 0; kind < WORK_N_KINDS; kind++) {
		const struct work_kind_info *info = work_kind_info((enum work_kind)kind);

		assert_non_null(info);
		assert_non_null(info->step);
		assert_true(strlen(info->meaning) > 0 && strlen(info->iteration) > 0);
		assert_int_equal(work_kind_find(info->word), kind);
	}
	assert_int_equal(work_kind_find("spin"), WORK_KIND_SPIN);
	assert_int_equal(work_kind_find("bursty"), WORK_KIND_BURSTY);
	assert_int_equal(work_kind_find("yield"), WORK_KIND_YIELD);
	assert_int_equal(work_kind_find("sleep"), WORK_KIND_SLEEP);
}

static void what_is_no_kind_is_not_found(void **state UNUSED)
{
	assert_int_equal(work_kind_find("Spin"), WORK_N_KINDS);
	assert_int_equal(work_kind_find(""), WORK_N_KINDS);
	assert_null(work_kind_info(WORK_N_KINDS));
	assert_null(work_kind_info((enum work_kind) - 1));
}

static void parameters_have_the_defaults_of_the_reference(void **state UNUSED)
{
	assert_int_equal(work_kind_info(WORK_KIND_BURSTY)->burst_ms, 50);
	assert_int_equal(work_kind_info(WORK_KIND_BURSTY)->sleep_ms, 100);
	assert_int_equal(work_kind_info(WORK_KIND_SLEEP)->sleep_ms, 10);
	assert_int_equal(work_kind_info(WORK_KIND_SPIN)->sleep_ms, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_is_found_by_its_word),
		cmocka_unit_test(what_is_no_kind_is_not_found),
		cmocka_unit_test(parameters_have_the_defaults_of_the_reference),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
