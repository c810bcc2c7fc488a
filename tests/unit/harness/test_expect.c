// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/judge.h"

#include "told.h"

/* An outcome of these parts, settled, with the expectation applied. */
static void apply(struct told *t, enum ktstr_reason expected, size_t n,
		  const enum ktstr_reason *reasons)
{
	told_init(t);
	for (size_t i = 0; i < n; i++)
		result_outcome_add_part(&t->outcome, reasons[i], i ? "a.c" : NULL, 7,
					"it happened");
	result_outcome_settle(&t->outcome);
	harness_expect_apply(expected, &t->outcome);
}

static void without_an_expectation_nothing_changes(void **state UNUSED)
{
	_cleanup_told_ struct told t, failed;

	apply(&t, KTSTR_REASON_NONE, 0, NULL);
	assert_int_equal(t.outcome.verdict, KTSTR_PASS);
	assert_int_equal(t.outcome.reason, KTSTR_REASON_NONE);
	assert_int_equal(t.outcome.parts.n, 0);
	apply(&failed, KTSTR_REASON_NONE, 1, (enum ktstr_reason[]){ KTSTR_REASON_CHECK });
	assert_int_equal(failed.outcome.reason, KTSTR_REASON_CHECK);
}

static void the_expected_failure_passes_and_keeps_its_text(void **state UNUSED)
{
	_cleanup_told_ struct told t;

	apply(&t, KTSTR_REASON_CHECK, 2,
	      (enum ktstr_reason[]){ KTSTR_REASON_CHECK, KTSTR_REASON_NO_EVIDENCE });
	assert_int_equal(t.outcome.verdict, KTSTR_PASS);
	assert_int_equal(t.outcome.reason, KTSTR_REASON_AS_EXPECTED);
	assert_string_equal(t.outcome.why, "check: it happened");
	assert_one_part(&t, KTSTR_REASON_AS_EXPECTED, "it happened");
	assert_true(has_note(&t, "check: it happened"));
	assert_true(has_note(&t, "no-evidence: a.c:7: it happened"));
	/* Who settles again gets the same. */
	result_outcome_settle(&t.outcome);
	assert_int_equal(t.outcome.verdict, KTSTR_PASS);
}

static void another_failure_is_a_failure_that_names_both(void **state UNUSED)
{
	_cleanup_told_ struct told t;

	apply(&t, KTSTR_REASON_CHECK, 3,
	      (enum ktstr_reason[]){ KTSTR_REASON_SETUP, KTSTR_REASON_PAYLOAD,
				     KTSTR_REASON_CHECK });
	assert_int_equal(t.outcome.verdict, KTSTR_FAIL);
	assert_int_equal(t.outcome.reason, KTSTR_REASON_OTHER_FAILURE);
	assert_string_equal(t.outcome.why, "check was expected, but payload happened: it happened");
	assert_int_equal(t.outcome.parts.n, 4);
	assert_int_equal(t.outcome.parts.at[1].reason, KTSTR_REASON_SETUP);
	assert_int_equal(t.outcome.parts.at[3].reason, KTSTR_REASON_CHECK);
}

static void an_expected_failure_with_a_crash_does_not_pass(void **state UNUSED)
{
	static const enum ktstr_reason others[] = { KTSTR_REASON_TEST_CRASHED,
						    KTSTR_REASON_LEFTOVER, KTSTR_REASON_SCHED_EXIT,
						    KTSTR_REASON_REPORT, KTSTR_REASON_TIMEOUT };

	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		_cleanup_told_ struct told t;

		apply(&t, KTSTR_REASON_EXPECTATION, 2,
		      (enum ktstr_reason[]){ KTSTR_REASON_EXPECTATION, others[i] });
		assert_int_equal(t.outcome.verdict, KTSTR_FAIL);
		assert_int_equal(t.outcome.reason, KTSTR_REASON_OTHER_FAILURE);
		assert_contains(t.outcome.why, "expectation happened as expected, but so did ");
		assert_contains(t.outcome.why, result_reason_name(others[i]));
		assert_int_equal(t.outcome.parts.n, 3);
	}
}

static void consequences_of_the_expected_failure_still_pass(void **state UNUSED)
{
	static const enum ktstr_reason pairs[][2] = {
		{ KTSTR_REASON_PAYLOAD, KTSTR_REASON_EXPECTATION },
		{ KTSTR_REASON_CHECK, KTSTR_REASON_HOST_BUSY },
		{ KTSTR_REASON_LEFTOVER, KTSTR_REASON_CHECK },
		{ KTSTR_REASON_GUEST_OOM, KTSTR_REASON_TEST_CRASHED },
		{ KTSTR_REASON_SCHED_EXIT, KTSTR_REASON_LEFTOVER },
	};

	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		_cleanup_told_ struct told t;

		apply(&t, pairs[i][0], 2, pairs[i]);
		assert_int_equal(t.outcome.reason, KTSTR_REASON_AS_EXPECTED);
	}
}

static void passing_instead_of_the_expected_failure_fails(void **state UNUSED)
{
	_cleanup_told_ struct told t;

	apply(&t, KTSTR_REASON_SCHED_EXIT, 0, NULL);
	assert_int_equal(t.outcome.verdict, KTSTR_FAIL);
	assert_int_equal(t.outcome.reason, KTSTR_REASON_DID_NOT_FAIL);
	assert_contains(t.outcome.why, "scheduler-exited was expected");
}

static void an_expectation_does_not_change_skipped_broken_or_inconclusive(void **state UNUSED)
{
	static const enum ktstr_reason reasons[] = { KTSTR_REASON_BOOT, KTSTR_REASON_NO_EVIDENCE,
						     KTSTR_REASON_NEED, KTSTR_REASON_QEMU };

	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++) {
		_cleanup_told_ struct told t;

		apply(&t, KTSTR_REASON_CHECK, 1, &reasons[i]);
		assert_int_equal(t.outcome.reason, reasons[i]);
		assert_int_equal(t.outcome.parts.n, 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_an_expectation_nothing_changes),
		cmocka_unit_test(the_expected_failure_passes_and_keeps_its_text),
		cmocka_unit_test(another_failure_is_a_failure_that_names_both),
		cmocka_unit_test(an_expected_failure_with_a_crash_does_not_pass),
		cmocka_unit_test(consequences_of_the_expected_failure_still_pass),
		cmocka_unit_test(passing_instead_of_the_expected_failure_fails),
		cmocka_unit_test(an_expectation_does_not_change_skipped_broken_or_inconclusive),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
