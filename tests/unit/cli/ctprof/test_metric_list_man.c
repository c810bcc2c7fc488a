// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/ctprof/metric_list.h"
#include "unit.h"

static void underscores_do_not_underline(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	metric_list_format_man_metrics(&text);
	assert_contains(strbuf_str(&text),
			"*wait\\_max* (peak, ns, from sched, \\[non-ext\\] \\[SCHEDSTATS\\])\n"
			"\tlongest wait on a run queue since birth\n\n");
	assert_contains(strbuf_str(&text), "*thread\\_count* (tally, count)\n");
}

static void formulas_stand_behind_their_names(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	metric_list_format_man_derived(&text);
	assert_contains(strbuf_str(&text),
			"*avg\\_wait\\_ns* (ns) = wait\\_sum / wait\\_count\n\taverage wait");
}

static void words_have_their_meaning(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	metric_list_format_man_tags(&text);
	metric_list_format_man_sections(&text);
	metric_list_format_man_kinds(&text);
	metric_list_format_man_sources(&text);
	assert_contains(strbuf_str(&text), "- *least*: smallest that is not 0\n");
	assert_contains(strbuf_str(&text), "- *smaps\\_rollup*: memory of the process, by kind\n");
	assert_contains(strbuf_str(&text), "- *cfs-only*: counted only in the fair class\n");
	assert_contains(strbuf_str(&text), "- *smaps-rollup*: memory of processes by kind\n");
}

static void values_of_cgroups_pressure_and_host_have_their_files(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	metric_list_format_man_cgroups(&text);
	metric_list_format_man_pressure(&text);
	metric_list_format_man_host(&text);
	assert_contains(strbuf_str(&text),
			"*cpu.weight* (from cpu.weight)\n\tshare of the CPUs, 1 to 10000\n\n");
	assert_contains(strbuf_str(&text), "*cpu.some.avg10* (percent, from /proc/pressure/cpu)\n");
	assert_contains(strbuf_str(&text),
			"*thp\\_enabled*\n\twhen transparent huge pages are used\n\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(underscores_do_not_underline),
		cmocka_unit_test(formulas_stand_behind_their_names),
		cmocka_unit_test(words_have_their_meaning),
		cmocka_unit_test(values_of_cgroups_pressure_and_host_have_their_files),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
