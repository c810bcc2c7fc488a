// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/macros.h"

#include "unit.h"

static void rounding_up_follows_powers_of_two(void **state UNUSED)
{
	static const struct {
		uint64_t value, align, want;
	} rows[] = {
		{ 0, 0, 0 }, { 0, 1, 0 },  { 7, 0, 7 },	   { 7, 8, 8 },
		{ 8, 8, 8 }, { 9, 8, 16 }, { 16, 64, 64 }, { UINT64_MAX, 1, UINT64_MAX },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t got = 1;

		assert_true(round_up_fits_u64(rows[i].value, rows[i].align, &got));
		assert_true(got == rows[i].want);
	}
}

static void rounding_up_reports_overflow_and_leaves_the_output(void **state UNUSED)
{
	uint64_t got = 5;

	assert_false(round_up_fits_u64(UINT64_MAX, 2, &got));
	assert_false(round_up_fits_u64(UINT64_MAX, 8, &got));
	assert_true(got == 5);
}

static void subtraction_below_zero_does_not_fit(void **state UNUSED)
{
	uint64_t got = 5;

	assert_false(sub_fits_u64(1, 2, &got));
	assert_true(got == 5);
	assert_true(sub_fits_u64(2, 2, &got));
	assert_true(got == 0);
}

static void addition_and_product_report_overflow(void **state UNUSED)
{
	uint64_t got = 5;

	assert_false(add_fits_u64(UINT64_MAX, 1, &got));
	assert_false(mul_fits_u64(UINT64_MAX, 2, &got));
	assert_true(got == 5);
	assert_true(add_fits_u64(UINT64_MAX, 0, &got));
	assert_true(got == UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rounding_up_follows_powers_of_two),
		cmocka_unit_test(rounding_up_reports_overflow_and_leaves_the_output),
		cmocka_unit_test(subtraction_below_zero_does_not_fit),
		cmocka_unit_test(addition_and_product_report_overflow),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
