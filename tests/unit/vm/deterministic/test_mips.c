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

static void an_unavailable_speed_names_its_two_neighbours(void **state UNUSED)
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

static void a_speed_out_of_range_names_the_limit(void **state UNUSED)
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
		cmocka_unit_test(an_unavailable_speed_names_its_two_neighbours),
		cmocka_unit_test(a_speed_out_of_range_names_the_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
