// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/slice.h"

#include "unit.h"

static void a_number_is_taken_off_the_front(void **state UNUSED)
{
	struct slice rest = slice_of("12-345x");
	uint64_t value = 7;

	assert_true(slice_take_u64(&rest, &value));
	assert_int_equal(value, 12);
	assert_true(slice_equal(rest, "-345x"));
	assert_false(slice_take_u64(&rest, &value));
	assert_true(slice_equal(rest, "-345x"));
	assert_int_equal(value, 12);
	rest = slice_of("18446744073709551616");
	assert_false(slice_take_u64(&rest, &value));
	assert_int_equal(rest.n, 20);
}

static void only_bytes_inside_the_slice_count(void **state UNUSED)
{
	struct slice two = { "1234", 2 };
	uint64_t value;

	assert_true(slice_u64(two, &value));
	assert_int_equal(value, 12);
	assert_true(slice_starts_with(two, "12"));
	assert_false(slice_starts_with(two, "123"));
	assert_true(slice_ends_with(two, "2"));
	assert_false(slice_ends_with(two, "012"));
}

static void an_empty_slice_is_not_a_number(void **state UNUSED)
{
	uint64_t value = 7;

	assert_false(slice_u64((struct slice){ "", 0 }, &value));
	assert_int_equal(value, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_number_is_taken_off_the_front),
		cmocka_unit_test(only_bytes_inside_the_slice_count),
		cmocka_unit_test(an_empty_slice_is_not_a_number),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
