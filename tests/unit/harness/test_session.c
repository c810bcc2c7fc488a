// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/session.h"

#include <sys/stat.h>

#include "samples.h"
#include "staged_root.h"

/* A program of a few lines of shell that poses as a test binary. */
static char *make_binary(const char *root, const char *name, const char *listing)
{
	_cleanup_free_ char *text = xasprintf("#!/bin/sh\necho '%s'\n", listing);
	char *path = staged_path(root, name);

	staged_file(root, name, text, strlen(text));
	assert_int_equal(chmod(path, 0755), 0);
	return path;
}

static void binaries_of_one_name_get_distinct_suite_names(void **state UNUSED)
{
	char *root = staged_root_new();
	_cleanup_free_ char *one = make_binary(root, "/a/tests", SAMPLE_LISTING(SAMPLE_PLAIN("x")));
	_cleanup_free_ char *two = make_binary(root, "/b/tests", SAMPLE_LISTING(SAMPLE_PLAIN("y")));
	_cleanup_harness_session_ struct harness_session s = { 0 };
	const struct harness_plan_options names = { .names_only = true };

	assert_success(harness_session_list(&s, one, NULL, NULL));
	assert_success(harness_session_list(&s, two, NULL, NULL));
	assert_string_equal(s.suites.at[0].name, "a/tests");
	assert_string_equal(s.suites.at[1].name, "b/tests");
	assert_success(harness_session_plan(&s, &names));
	assert_int_equal(s.plan.variants.n, 2);
	assert_error_tag(harness_session_list(&s, one, NULL, NULL), "test-plan");
	staged_root_free(root);
}

static void files_that_are_missing_are_all_named(void **state UNUSED)
{
	char *root = staged_root_new();
	_cleanup_free_ char *path = make_binary(root, "/tests", SAMPLE_LISTING(SAMPLE_TEST("x")));
	_cleanup_harness_session_ struct harness_session s = { 0 };
	const struct harness_plan_options names = { .names_only = true };
	_cleanup_error_ struct error *err = NULL;

	assert_success(harness_session_list(&s, path, NULL, NULL));
	assert_success(harness_session_plan(&s, &names));
	assert_null(harness_session_files_of(&s, s.plan.variants.at[0].test));
	err = harness_session_find_files(&s, NULL, 0);
	assert_true(error_is(err, &harness_error_domain, HARNESS_MISTAKES));
	assert_contains(error_message(err), "scx_cells");
	assert_contains(error_message(err), "helper");
	/* What was found is known all the same. */
	assert_int_equal(harness_session_files_of(&s, s.plan.variants.at[0].test)->n, 1);
	staged_root_free(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(binaries_of_one_name_get_distinct_suite_names),
		cmocka_unit_test(files_that_are_missing_are_all_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
