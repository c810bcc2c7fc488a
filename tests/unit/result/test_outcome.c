// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include <string.h>

#include "result/outcome.h"

static void an_outcome_without_parts_is_a_pass(void **state UNUSED)
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

static void every_word_is_there_once(void **state UNUSED)
{
	for (size_t i = 0; i < KTSTR_N_REASONS; i++)
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(result_reason_name((enum ktstr_reason)i),
						result_reason_name((enum ktstr_reason)j));
	for (size_t i = 0; i < RESULT_N_VERDICTS; i++)
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(result_verdict_name((enum ktstr_verdict)i),
						result_verdict_name((enum ktstr_verdict)j));
}

static void verdicts_outweigh_each_other_in_order(void **state UNUSED)
{
	static const enum ktstr_verdict order[] = { KTSTR_FAIL, KTSTR_BROKEN, KTSTR_INCONCLUSIVE,
						    KTSTR_SKIP, KTSTR_PASS };

	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		for (size_t j = 0; j < ARRAY_SIZE(order); j++)
			assert_int_equal(result_verdict_outweighs(order[i], order[j]), i < j);
}

static void reasons_have_the_verdicts_of_the_table(void **state UNUSED)
{
	assert_int_equal(result_reason_verdict(KTSTR_REASON_NONE), KTSTR_PASS);
	assert_int_equal(result_reason_verdict(KTSTR_REASON_GUEST_PANIC), KTSTR_FAIL);
	assert_int_equal(result_reason_verdict(KTSTR_REASON_NEEDS_SCX), KTSTR_SKIP);
	assert_int_equal(result_reason_verdict(KTSTR_REASON_KERNEL_BTF), KTSTR_BROKEN);
	assert_int_equal(result_reason_verdict(KTSTR_REASON_HOST_BUSY), KTSTR_INCONCLUSIVE);
}

static void a_clock_is_one_short_word(void **state UNUSED)
{
	static const struct {
		struct result_clock clock;
		const char *text;
	} rows[] = {
		{ { RESULT_CLOCK_UNSAID, 0 }, "" },
		{ { RESULT_CLOCK_REAL, 7 }, "real" },
		{ { RESULT_CLOCK_VIRTUAL, 0 }, "virtual, seed 0" },
		{ { RESULT_CLOCK_VIRTUAL, UINT64_MAX }, "virtual, seed 18446744073709551615" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

		result_clock_format(rows[i].clock, &text);
		assert_string_equal(strbuf_str(&text), rows[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_clock_is_one_short_word),
		cmocka_unit_test(an_outcome_without_parts_is_a_pass),
		cmocka_unit_test(the_heaviest_part_decides),
		cmocka_unit_test(among_equals_the_first_decides),
		cmocka_unit_test(every_word_is_there_once),
		cmocka_unit_test(verdicts_outweigh_each_other_in_order),
		cmocka_unit_test(reasons_have_the_verdicts_of_the_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
