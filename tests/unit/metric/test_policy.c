// SPDX-License-Identifier: GPL-2.0-or-later
#include "metric/format.h"

#include <sched.h>

#include "unit.h"

static void assert_policy(uint64_t number, const char *name)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	uint64_t back = 99;

	metric_policy_format(number, &text);
	assert_string_equal(strbuf_str(&text), name);
	assert_true(metric_policy_parse(name, strlen(name), &back));
	assert_int_equal(back, number);
}

static void names_are_those_of_the_kernel(void **state UNUSED)
{
	assert_policy(SCHED_OTHER, "SCHED_OTHER");
	assert_policy(SCHED_FIFO, "SCHED_FIFO");
	assert_policy(SCHED_RR, "SCHED_RR");
	assert_policy(SCHED_BATCH, "SCHED_BATCH");
	assert_policy(SCHED_IDLE, "SCHED_IDLE");
	assert_policy(6, "SCHED_DEADLINE");
	assert_policy(7, "SCHED_EXT");
}

static void a_number_without_a_name_stays_readable(void **state UNUSED)
{
	assert_policy(42, "SCHED_UNKNOWN(42)");
	assert_policy(4, "SCHED_UNKNOWN(4)");
	assert_policy(UINT64_MAX, "SCHED_UNKNOWN(18446744073709551615)");
}

static void anything_else_is_no_policy(void **state UNUSED)
{
	const char *const wrong[] = { "",
				      "SCHED_",
				      "sched_fifo",
				      "SCHED_FIFO ",
				      "SCHED_UNKNOWN()",
				      "SCHED_UNKNOWN(-1)",
				      "SCHED_UNKNOWN(4",
				      "SCHED_UNKNOWN(18446744073709551616)" };
	uint64_t untouched = 5;

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_false(metric_policy_parse(wrong[i], strlen(wrong[i]), &untouched));
	assert_int_equal(untouched, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_those_of_the_kernel),
		cmocka_unit_test(a_number_without_a_name_stays_readable),
		cmocka_unit_test(anything_else_is_no_policy),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
