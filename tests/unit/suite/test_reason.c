// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include "suite/declared.h"

static void words_are_those_of_the_list(void **state UNUSED)
{
	assert_string_equal(suite_reason_name(KTSTR_REASON_NONE), "none");
	assert_string_equal(suite_reason_name(KTSTR_REASON_SCHED_EXIT), "scheduler-exited");
	assert_null(suite_reason_name(KTSTR_N_REASONS));
	assert_null(suite_reason_name((enum ktstr_reason) - 1));
}

static void only_failures_that_happen_can_be_expected(void **state UNUSED)
{
	assert_true(suite_reason_is_expectable(KTSTR_REASON_CHECK));
	assert_true(suite_reason_is_expectable(KTSTR_REASON_SCHED_VERIFIER));
	assert_false(suite_reason_is_expectable(KTSTR_REASON_NONE));
	assert_false(suite_reason_is_expectable(KTSTR_REASON_AS_EXPECTED));
	assert_false(suite_reason_is_expectable(KTSTR_REASON_DID_NOT_FAIL));
	assert_false(suite_reason_is_expectable(KTSTR_REASON_OTHER_FAILURE));
	assert_false(suite_reason_is_expectable(KTSTR_REASON_NEED));
	assert_false(suite_reason_is_expectable(KTSTR_REASON_BOOT));
	assert_false(suite_reason_is_expectable((enum ktstr_reason)4711));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_those_of_the_list),
		cmocka_unit_test(only_failures_that_happen_can_be_expected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
