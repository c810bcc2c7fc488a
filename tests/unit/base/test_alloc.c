// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/alloc.h"

#include "unit.h"

static void checked_allocation_refuses_what_is_past_the_limit(void **state UNUSED)
{
	void *p = NULL;

	assert_error_tag(alloc_checked(9, 1, 8, "thing", &p), "limit");
	assert_null(p);
}

static void checked_allocation_refuses_an_overflowing_product(void **state UNUSED)
{
	void *p = NULL;

	assert_error_tag(alloc_checked(UINT64_MAX, 16, UINT64_MAX, "thing", &p), "limit");
	assert_null(p);
}

static void checked_allocation_at_the_limit_is_zeroed(void **state UNUSED)
{
	static const char zeroes[8];
	void *p = NULL;

	assert_success(alloc_checked(2, 4, 8, "thing", &p));
	assert_memory_equal(p, zeroes, sizeof(zeroes));
	free(p);
}

static void checked_allocation_of_nothing_gives_a_pointer(void **state UNUSED)
{
	void *p = NULL;

	assert_success(alloc_checked(0, 4, 8, "thing", &p));
	assert_non_null(p);
	free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(checked_allocation_refuses_what_is_past_the_limit),
		cmocka_unit_test(checked_allocation_refuses_an_overflowing_product),
		cmocka_unit_test(checked_allocation_at_the_limit_is_zeroed),
		cmocka_unit_test(checked_allocation_of_nothing_gives_a_pointer),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
