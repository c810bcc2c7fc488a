// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/session.h"

#include <stdlib.h>

#include "unit.h"

/* Names the paths and compares with what is wanted. */
static void check_names(const char *const *paths, const char *const *wanted, size_t n)
{
	struct exchange_declared_suite suites[8] = { 0 };

	for (size_t i = 0; i < n; i++) {
		suites[i].path = xstrdup(paths[i]);
		suites[i].name = xstrdup("listed");
	}
	assert_success(harness_plan_name_suites(suites, n));
	for (size_t i = 0; i < n; i++)
		assert_string_equal(suites[i].name, wanted[i]);
	for (size_t i = 0; i < n; i++)
		exchange_declared_suite_deinit(&suites[i]);
}

static void the_base_name_is_enough_when_no_other_has_it(void **state UNUSED)
{
	const char *const paths[] = { "/a/b/one", "/a/b/two", "/oneone" };
	const char *const names[] = { "one", "two", "oneone" };

	check_names(paths, names, 3);
}

static void as_much_of_the_path_is_taken_as_tells_them_apart(void **state UNUSED)
{
	const char *const paths[] = { "/x/debug/t", "/x/release/t", "/y/release/t", "/x/other" };
	const char *const names[] = { "debug/t", "x/release/t", "y/release/t", "other" };

	check_names(paths, names, 4);
}

static void a_path_that_ends_another_is_told_whole(void **state UNUSED)
{
	const char *const paths[] = { "/a/t", "/b/a/t", "/t" };
	const char *const names[] = { "/a/t", "b/a/t", "/t" };

	check_names(paths, names, 3);
}

static void the_same_binary_twice_is_refused(void **state UNUSED)
{
	char a[] = "/a/t", b[] = "/b/t", again[] = "/a/t";
	struct exchange_declared_suite suites[] = { { .path = a },
						    { .path = b },
						    { .path = again } };
	_cleanup_error_ struct error *err = harness_plan_name_suites(suites, 3);

	assert_true(error_is(err, &harness_error_domain, HARNESS_PLAN));
	assert_string_equal(error_message(err), "/a/t was given twice");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_base_name_is_enough_when_no_other_has_it),
		cmocka_unit_test(as_much_of_the_path_is_taken_as_tells_them_apart),
		cmocka_unit_test(a_path_that_ends_another_is_told_whole),
		cmocka_unit_test(the_same_binary_twice_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
