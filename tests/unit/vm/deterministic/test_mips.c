// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/deterministic/deterministic.h"

#include "unit.h"

static void every_speed_that_exists_has_its_shift(void **state UNUSED)
{
	static const unsigned int mips[] = { 1000, 500, 250, 125, 62, 31, 15, 7, 3, 1 };

	for (unsigned int shift = 0; shift < ARRAY_SIZE(mips); shift++) {
		unsigned int got = 99;

		assert_success(vm_mips_to_shift(mips[shift], &got));
		assert_int_equal(got, shift);
	}
}

static void between_two_speeds_both_are_named(void **state UNUSED)
{
	unsigned int got = 99;
	struct error *err = vm_mips_to_shift(100, &got);

	assert_non_null(err);
	assert_string_equal(error_tag(err), "mips");
	assert_contains(error_message(err), "62 and 125");
	error_free(err);
	err = vm_mips_to_shift(2, &got);
	assert_non_null(err);
	assert_contains(error_message(err), "1 and 3");
	error_free(err);
	assert_int_equal(got, 99);
}

static void past_either_end_the_end_is_named(void **state UNUSED)
{
	unsigned int got = 99;
	struct error *err = vm_mips_to_shift(0, &got);

	assert_non_null(err);
	assert_contains(error_message(err), "least is 1");
	error_free(err);
	err = vm_mips_to_shift(1001, &got);
	assert_non_null(err);
	assert_contains(error_message(err), "most is 1000");
	error_free(err);
	assert_int_equal(got, 99);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_speed_that_exists_has_its_shift),
		cmocka_unit_test(between_two_speeds_both_are_named),
		cmocka_unit_test(past_either_end_the_end_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
