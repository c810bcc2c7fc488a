// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/declaration.h"

#include "samples.h"

static void the_name_in_the_guest_is_behind_the_last_slash(void **state UNUSED)
{
	assert_string_equal(declared_base_name("worker"), "worker");
	assert_string_equal(declared_base_name("./build/worker"), "worker");
	assert_string_equal(declared_base_name("/worker"), "worker");
	assert_string_equal(declared_base_name("build/"), "");
}

/* The sanitizers see what is forgotten. */
static void a_suite_gives_back_all_it_holds_and_may_be_emptied_twice(void **state UNUSED)
{
	struct declared_suite suite = sample_suite(
		"/a/t", SAMPLE_LISTING(SAMPLE_TEST("one") "," SAMPLE_PLAIN("two")));

	assert_int_equal(suite.tests.n, 2);
	declared_suite_deinit(&suite);
	assert_null(suite.path);
	assert_int_equal(suite.tests.n, 0);
	declared_suite_deinit(&suite);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_name_in_the_guest_is_behind_the_last_slash),
		cmocka_unit_test(a_suite_gives_back_all_it_holds_and_may_be_emptied_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
