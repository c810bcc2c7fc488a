// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/group/names.h"

#include "unit.h"

static void keys_are_numbered_in_the_order_of_arrival(void **state UNUSED)
{
	_cleanup_ctprof_key_table_ struct ctprof_key_table table = { 0 };

	assert_int_equal(ctprof_key_table_add(&table, &(struct ctprof_group_key){ 1, 2, 3 }), 0);
	assert_int_equal(ctprof_key_table_add(&table, &(struct ctprof_group_key){ 1, 3, 2 }), 1);
	assert_int_equal(ctprof_key_table_add(&table, &(struct ctprof_group_key){ 0, 0, 0 }), 2);
	assert_int_equal(ctprof_key_table_add(&table, &(struct ctprof_group_key){ 1, 2, 3 }), 0);
	assert_int_equal(ctprof_key_table_add(&table, &(struct ctprof_group_key){ 0, 0, 0 }), 2);
	assert_int_equal(table.keys.n, 3);
}

static void every_key_is_found_again_when_there_are_many(void **state UNUSED)
{
	enum { MANY = 5000 };
	_cleanup_ctprof_key_table_ struct ctprof_key_table table = { 0 };

	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < MANY; i++)
			assert_int_equal(
				ctprof_key_table_add(&table,
						     &(struct ctprof_group_key){ i % 7, i / 7, i }),
				i);
	}
	assert_int_equal(table.keys.n, MANY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_are_numbered_in_the_order_of_arrival),
		cmocka_unit_test(every_key_is_found_again_when_there_are_many),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
