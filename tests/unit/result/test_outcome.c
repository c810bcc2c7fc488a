// SPDX-License-Identifier: GPL-2.0-or-later
#include "result/outcome.h"

#include "unit.h"

static void nothing_said_is_a_pass(void **state UNUSED)
{
	_cleanup_result_outcome_ struct result_outcome outcome = { 0 };

	result_outcome_settle(&outcome);
	assert_int_equal(outcome.verdict, KTSTR_PASS);
	assert_string_equal(outcome.why, "");
}

static void the_heaviest_part_decides(void **state UNUSED)
{
	_cleanup_result_outcome_ struct result_outcome outcome = { 0 };

	result_outcome_add_part(&outcome, KTSTR_REASON_HOST_BUSY, NULL, 0, "busy");
	result_outcome_add_part(&outcome, KTSTR_REASON_CHECK, "a.c", 7, "spread");
	result_outcome_add_part(&outcome, KTSTR_REASON_SETUP, NULL, 0, "cgroup");
	result_outcome_settle(&outcome);
	assert_int_equal(outcome.verdict, KTSTR_FAIL);
	assert_int_equal(outcome.reason, KTSTR_REASON_CHECK);
	assert_string_equal(outcome.why, "spread");
}

static void among_equals_the_first_decides(void **state UNUSED)
{
	_cleanup_result_outcome_ struct result_outcome outcome = { 0 };

	result_outcome_add_part(&outcome, KTSTR_REASON_PAYLOAD, NULL, 0, "first");
	result_outcome_add_part(&outcome, KTSTR_REASON_CHECK, NULL, 0, "second");
	result_outcome_settle(&outcome);
	result_outcome_settle(&outcome);
	assert_int_equal(outcome.reason, KTSTR_REASON_PAYLOAD);
	assert_string_equal(outcome.why, "first");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_said_is_a_pass),
		cmocka_unit_test(the_heaviest_part_decides),
		cmocka_unit_test(among_equals_the_first_decides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
