// SPDX-License-Identifier: GPL-2.0-or-later
#include "procfs/thread_status.h"

#include "unit.h"

static bool parse(const char *text, struct thread_status *ret)
{
	return thread_status_parse(text, strlen(text), ret);
}

static void the_lines_of_scheduling_are_found(void **state UNUSED)
{
	struct thread_status status;

	assert_true(
		parse("Name:\tsh\nUmask:\t0022\nState:\tD (disk sleep)\nTgid:\t9\nThreads:\t12\n"
		      "SigQ:\t0/96349\nCpus_allowed:\t3\nCpus_allowed_list:\t0-1\n"
		      "Mems_allowed_list:\t0\nvoluntary_ctxt_switches:\t150\n"
		      "nonvoluntary_ctxt_switches:\t545\n",
		      &status));
	assert_int_equal(status.fields.at[THREAD_STATUS_STATE], 'D');
	assert_int_equal(status.fields.at[THREAD_STATUS_THREADS], 12);
	assert_int_equal(status.fields.at[THREAD_STATUS_VOLUNTARY_CSW], 150);
	assert_int_equal(status.fields.at[THREAD_STATUS_NONVOLUNTARY_CSW], 545);
	assert_int_equal(__builtin_popcount(status.fields.known), N_THREAD_STATUS_FIELDS);
	assert_int_equal(status.cpus.n, 3);
	assert_memory_equal(status.cpus.at, "0-1", 3);
}

static void a_name_that_looks_like_a_line_is_a_name(void **state UNUSED)
{
	struct thread_status status;

	/* The kernel writes a newline of a name as two characters. */
	assert_true(parse("Name:\tThreads:\t99\\nState: X\nState:\tR\n", &status));
	assert_int_equal(status.fields.at[THREAD_STATUS_STATE], 'R');
	assert_false(proc_fields_know(&status.fields, THREAD_STATUS_THREADS));
}

static void lines_that_are_missing_or_broken_are_absent(void **state UNUSED)
{
	struct thread_status status;

	assert_true(parse("State:\n  Threads : 4\nvoluntary_ctxt_switches:\tmany\n", &status));
	assert_int_equal(status.fields.known, 1 << THREAD_STATUS_THREADS);
	assert_int_equal(status.cpus.n, 0);
	assert_false(parse("", &status));
	assert_false(parse("Name:\tx\nState\nTotal: 4\n", &status));
}

static void the_list_alone_is_worth_something(void **state UNUSED)
{
	struct thread_status status;

	assert_true(parse("Cpus_allowed_list:\t5\n", &status));
	assert_int_equal(status.cpus.n, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_lines_of_scheduling_are_found),
		cmocka_unit_test(a_name_that_looks_like_a_line_is_a_name),
		cmocka_unit_test(lines_that_are_missing_or_broken_are_absent),
		cmocka_unit_test(the_list_alone_is_worth_something),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
