// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/str.h"

#include "unit.h"

static void a_text_starts_and_ends_with_its_parts(void **state UNUSED)
{
	assert_true(str_starts_with("cpu12", "cpu"));
	assert_true(str_starts_with("cpu", "cpu"));
	assert_true(str_starts_with("cpu", ""));
	assert_false(str_starts_with("cp", "cpu"));
	assert_true(str_ends_with("a.ko.zst", ".zst"));
	assert_true(str_ends_with(".zst", ".zst"));
	assert_true(str_ends_with("", ""));
	assert_false(str_ends_with("zst", ".zst"));
}

static void numbers_are_digits_and_nothing_else(void **state UNUSED)
{
	static const char *const wrong[] = {
		"",
		" 1",
		"1 ",
		"+1",
		"-1",
		"0x10",
		"1a",
		"18446744073709551616",
		"99999999999999999999",
	};
	uint64_t value = 7;

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_false(str_parse_u64(wrong[i], UINT64_MAX, &value));
	assert_int_equal(value, 7);
	assert_true(str_parse_u64("18446744073709551615", UINT64_MAX, &value));
	assert_int_equal(value, UINT64_MAX);
	assert_true(str_parse_u64("007", 7, &value));
	assert_int_equal(value, 7);
}

static void numbers_past_the_limit_are_refused(void **state UNUSED)
{
	uint64_t value = 7;

	assert_false(str_parse_u64("65536", UINT16_MAX, &value));
	assert_int_equal(value, 7);
	assert_true(str_parse_u64("65535", UINT16_MAX, &value));
	assert_int_equal(value, 65535);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_starts_and_ends_with_its_parts),
		cmocka_unit_test(numbers_are_digits_and_nothing_else),
		cmocka_unit_test(numbers_past_the_limit_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
