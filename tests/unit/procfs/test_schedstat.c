// SPDX-License-Identifier: GPL-2.0-or-later
#include "procfs/schedstat.h"

#include "unit.h"

static struct error *parse(const char *text, struct proc_schedstat *ret)
{
	return proc_schedstat_parse(text, strlen(text), ret);
}

static void three_numbers_are_read_in_the_order_of_the_kernel(void **state UNUSED)
{
	struct proc_schedstat stat;

	assert_success(parse("1122334455 18446744073709551615 7\n", &stat));
	assert_true(stat.run_time_ns == 1122334455);
	assert_true(stat.run_delay_ns == UINT64_MAX);
	assert_true(stat.timeslices == 7);
	assert_success(parse("0 0 0\n", &stat));
	assert_true(stat.run_time_ns == 0 && stat.run_delay_ns == 0 && stat.timeslices == 0);
}

static void everything_else_is_refused(void **state UNUSED)
{
	static const char *const broken[] = {
		"",	     "\n",	  "1",	      "1 2\n",
		"1 2 3", /* cut */
		"1 2 3 4\n", "1 2 3\n\n", " 1 2 3\n", "1  2 3\n",
		"-1 2 3\n",  "a 2 3\n",	  "1 2 x3\n", "18446744073709551616 2 3\n",
	};
	struct proc_schedstat stat = { .timeslices = 9 };

	for (size_t i = 0; i < ARRAY_SIZE(broken); i++)
		assert_error_tag(parse(broken[i], &stat), "parse");
	assert_true(stat.timeslices == 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(three_numbers_are_read_in_the_order_of_the_kernel),
		cmocka_unit_test(everything_else_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
