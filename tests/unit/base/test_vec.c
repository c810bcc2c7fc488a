// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/vec.h"

#include "unit.h"

static void pushing_keeps_order_across_growth(void **state UNUSED)
{
	VEC(int) v = VEC_INIT;

	for (int i = 0; i < 100; i++)
		vec_push(&v, i);
	assert_int_equal(v.n, 100);
	for (int i = 0; i < 100; i++)
		assert_int_equal(v.at[i], i);
	vec_deinit(&v);
	assert_int_equal(v.n, 0);
	assert_null(v.at);
}

static void clearing_keeps_the_memory(void **state UNUSED)
{
	VEC(int) v = VEC_INIT;

	vec_push(&v, 1);
	vec_clear(&v);
	assert_int_equal(v.n, 0);
	assert_non_null(v.at);
	vec_deinit(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pushing_keeps_order_across_growth),
		cmocka_unit_test(clearing_keeps_the_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
