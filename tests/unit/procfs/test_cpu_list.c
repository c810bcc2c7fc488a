// SPDX-License-Identifier: GPL-2.0-or-later
#include "procfs/cpu_list.h"

#include "base/strbuf.h"
#include "unit.h"

static void parsed_as(const char *text, const char *expected)
{
	_cleanup_strbuf_ struct strbuf got = STRBUF_INIT;
	_cleanup_procfs_cpu_ids_ struct procfs_cpu_ids ids = { VEC_INIT };

	assert_int_equal(procfs_cpu_list_parse(text, strlen(text), &ids), expected != NULL);
	for (size_t i = 0; i < ids.ids.n; i++)
		strbuf_appendf(&got, "%s%u", i ? " " : "", ids.ids.at[i]);
	assert_string_equal(strbuf_str(&got), expected ? expected : "");
}

static void cpu_lists_are_sorted_without_duplicates(void **state UNUSED)
{
	parsed_as("3,0-2,1,2", "0 1 2 3");
	parsed_as("0-1\n", "0 1");
	parsed_as("0,1,", "0 1");
	parsed_as(",, 7 ,\t5 - 6", "5 6 7");
	parsed_as("4294967295", "4294967295");
	parsed_as("4294967294-4294967295", "4294967294 4294967295");
}

static void malformed_cpu_lists_are_refused(void **state UNUSED)
{
	static const char *const bad[] = { "",	  "\n",	 ",",	   "5-3",   "x",
					   "1,x", "1-",	 "-1",	   "1-2-3", "0-1,4294967296",
					   "0x1", "1 2", "0-65536" };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		parsed_as(bad[i], NULL);
}

static void a_range_of_65536_cpus_is_accepted(void **state UNUSED)
{
	_cleanup_procfs_cpu_ids_ struct procfs_cpu_ids ids = { VEC_INIT };

	assert_true(procfs_cpu_list_parse("0-65535", 7, &ids));
	assert_int_equal(ids.ids.n, 65536);
	assert_int_equal(ids.ids.at[65535], 65535);
}

static void many_ranges_have_a_limit_together(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	_cleanup_procfs_cpu_ids_ struct procfs_cpu_ids ids = { VEC_INIT };

	for (int i = 0; i < PROCFS_CPU_LIST_IDS / PROCFS_CPU_LIST_RANGE; i++)
		strbuf_append(&s, "0-65535,");
	assert_true(procfs_cpu_list_parse(strbuf_str(&s), s.n, &ids));
	assert_int_equal(ids.ids.n, 65536);
	strbuf_append(&s, "0");
	assert_false(procfs_cpu_list_parse(strbuf_str(&s), s.n, &ids));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpu_lists_are_sorted_without_duplicates),
		cmocka_unit_test(malformed_cpu_lists_are_refused),
		cmocka_unit_test(a_range_of_65536_cpus_is_accepted),
		cmocka_unit_test(many_ranges_have_a_limit_together),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
