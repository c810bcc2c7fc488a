// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include "suite/system.h"

static void missing_slowness_is_that_of_real_hardware(void **state UNUSED)
{
	double value = 0;

	assert_success(suite_slowness_parse(NULL, &value));
	assert_true(value == 1);
	assert_success(suite_slowness_parse("12.5", &value));
	assert_true(value == 12.5);
}

static void what_is_no_factor_is_refused(void **state UNUSED)
{
	static const char *const wrong[] = { "", "0", "0.5", "-3", "x", "2x", "nan", "inf", "1e9" };
	double value = 7;

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_error_tag(suite_slowness_parse(wrong[i], &value), "parse");
	assert_true(value == 7);
}

static void limits_are_rounded_up(void **state UNUSED)
{
	assert_int_equal(suite_slowness_scaled_ms(1, 5000), 5000);
	assert_int_equal(suite_slowness_scaled_ms(1.5, 3), 5);
	assert_int_equal(suite_slowness_scaled_ms(10, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(missing_slowness_is_that_of_real_hardware),
		cmocka_unit_test(what_is_no_factor_is_refused),
		cmocka_unit_test(limits_are_rounded_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
