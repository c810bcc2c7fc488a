// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/named_merge.h"

#include "unit.h"

static void names_are_merged_wherever_they_stand(void **state UNUSED)
{
	struct named_readings table = { 0 };

	named_readings_merge(&table, 7, 1, 0, add_saturating_u64);
	named_readings_merge(&table, 8, 2, 1, add_saturating_u64);
	named_readings_merge(&table, 9, 4, 2, add_saturating_u64);
	named_readings_merge(&table, 9, 10, 0, add_saturating_u64);
	named_readings_merge(&table, 7, 10, 2, larger_u64);
	named_readings_merge(&table, 8, 1, 99, larger_u64);
	assert_int_equal(table.rows.n, 3);
	assert_int_equal(named_readings_value(&table, 7), 10);
	assert_int_equal(named_readings_value(&table, 8), 2);
	assert_int_equal(named_readings_value(&table, 9), 14);
	assert_int_equal(named_readings_value(&table, 10), 0);
	vec_deinit(&table.rows);
}

static void sums_saturate(void **state UNUSED)
{
	struct named_readings table = { 0 };

	named_readings_merge(&table, 7, UINT64_MAX, 0, add_saturating_u64);
	named_readings_merge(&table, 7, 5, 0, add_saturating_u64);
	assert_true(named_readings_value(&table, 7) == UINT64_MAX);
	vec_deinit(&table.rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_merged_wherever_they_stand),
		cmocka_unit_test(sums_saturate),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
