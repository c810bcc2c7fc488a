// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/ctprof/metric_list.h"

#include "base/alloc.h"
#include "ctprof/cgroup_rows.h"
#include "host/host_facts.h"
#include "unit.h"

static void assert_tags(enum metric_id id, const char *expected)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	metric_format_tags(&metric_rows[id], &text);
	assert_string_equal(strbuf_str(&text), expected);
}

static void a_metric_lists_its_class_tag_before_its_config_tags(void **state UNUSED)
{
	assert_tags(METRIC_NICE, "");
	assert_tags(METRIC_WAIT_SUM, "[non-ext] [SCHEDSTATS]");
	assert_tags(METRIC_NR_WAKEUPS_AFFINE, "[cfs-only] [SCHEDSTATS]");
	assert_tags(METRIC_FAIR_SLICE_NS, "[fair-policy]");
	assert_tags(METRIC_HIWATER_VM_BYTES, "[TASKSTATS] [TASK_XACCT]");
}

static void everything_is_listed_in_four_parts(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	const char *tags, *sections, *list, *computed;

	metric_list_format_text(&(struct text_look){ 0 }, &text);
	tags = strstr(strbuf_str(&text), "## Tag legend\n");
	sections = strstr(strbuf_str(&text), "\n## Sections\n");
	list = strstr(strbuf_str(&text), "\n## Metrics\n");
	computed = strstr(strbuf_str(&text), "\n## Derived metrics\n");
	assert_true(tags == text.at && sections > tags && list > sections && computed > list);
	for (int i = 0; i < METRIC_N; i++) {
		_cleanup_free_ char *line = xasprintf("\n%s ", metric_rows[i].name);

		assert_contains(list, line);
	}
	for (int i = 0; i < METRIC_N_DERIVED; i++) {
		_cleanup_free_ char *line = xasprintf("\n%s ", metric_derived[i].name);

		assert_contains(computed, line);
	}
	for (int i = 0; i < METRIC_N_SECTIONS; i++)
		assert_contains(sections, metric_sections[i].word);
	assert_contains(tags, "[non-ext]");
	assert_contains(tags, "[TASK_IO_ACCOUNTING]");
	assert_contains(computed, "run_time_ns / (run_time_ns + wait_time_ns)");
}

/* On a terminal too narrow for the table nothing is cut off. */
static void a_narrow_terminal_gets_paragraphs(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	metric_list_format_text(&(struct text_look){ .columns = 80 }, &text);
	assert_contains(strbuf_str(&text), "\nvoluntary_sleep_ns  sum  ns  sched  [non-ext] "
					   "[SCHEDSTATS]\n    time asleep by choice: all sleep "
					   "without what was blocked\n");
	assert_null(strstr(strbuf_str(&text), "…"));
}

/* A value that a table gains is listed without another line of code. */
static void every_row_of_cgroups_pressure_and_host_is_listed(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	const char *cgroups, *pressure, *host;

	metric_list_format_text(&(struct text_look){ 0 }, &text);
	cgroups = strstr(strbuf_str(&text), "\n## Values of cgroups\n");
	pressure = strstr(strbuf_str(&text), "\n## Pressure\n");
	host = strstr(strbuf_str(&text), "\n## Host\n");
	assert_true(cgroups && pressure > cgroups && host > pressure);
	for (size_t i = 0; i < CTPROF_N_CGROUP_ROWS; i++) {
		_cleanup_free_ char *line = xasprintf("\n%s ", ctprof_cgroup_rows[i].name);

		assert_contains(cgroups, line);
	}
	for (int i = 0; i < PROCFS_N_PRESSURE_RESOURCES * PROCFS_N_PRESSURE_HALVES; i++) {
		_cleanup_free_ char *line = xasprintf("\n%s.%s.total_usec ",
						      procfs_pressure_resource_names[i / 2],
						      procfs_pressure_half_names[i % 2]);

		assert_contains(strstr(pressure, line) + 1, line);
	}
	for (size_t i = 0; i < host_facts_rows.n; i++) {
		_cleanup_free_ char *line = xasprintf("\n%s ", host_facts_rows.at[i].name);

		assert_contains(host, line);
	}
	assert_contains(pressure, "all tasks stalled on io: share of the last 60 s\n");
}

static void a_metric_says_everything_about_itself(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	metric_list_format_json(&text);
	assert_contains(strbuf_str(&text), "      \"name\": \"wait_max\",\n"
					   "      \"kind\": \"peak\",\n"
					   "      \"reduces_to\": \"largest\",\n"
					   "      \"unit\": \"ns\",\n"
					   "      \"source\": \"sched\",\n"
					   "      \"section\": \"primary\",\n"
					   "      \"class\": \"non-ext\",\n"
					   "      \"configs\": [\n"
					   "        \"SCHEDSTATS\"\n"
					   "      ],\n");
	/* Left out where there is none. */
	assert_contains(strbuf_str(&text), "      \"name\": \"nice\",\n"
					   "      \"kind\": \"ordinal\",\n"
					   "      \"reduces_to\": \"smallest and largest\",\n"
					   "      \"source\": \"stat\",\n");
}

static void a_derived_metric_has_a_formula_and_inputs(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	metric_list_format_json(&text);
	assert_contains(strbuf_str(&text), "      \"name\": \"avg_wait_ns\",\n"
					   "      \"unit\": \"ns\",\n"
					   "      \"section\": \"derived\",\n"
					   "      \"formula\": \"wait_sum / wait_count\",\n"
					   "      \"inputs\": [\n"
					   "        \"wait_sum\",\n"
					   "        \"wait_count\"\n"
					   "      ],\n");
}

static void values_besides_threads_say_section_and_file(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	metric_list_format_json(&text);
	assert_contains(strbuf_str(&text), "  \"cgroups\": [\n    {\n"
					   "      \"name\": \"cpu_usage_usec\",\n"
					   "      \"unit\": \"us\",\n"
					   "      \"section\": \"cgroup-stats\",\n"
					   "      \"file\": \"cpu.stat\",\n"
					   "      \"description\": \"CPU time of all threads\"\n");
	assert_contains(strbuf_str(&text), "      \"name\": \"irq.full.avg300\",\n"
					   "      \"unit\": \"percent\",\n"
					   "      \"section\": \"pressure\",\n"
					   "      \"file\": \"irq.pressure\",\n");
	assert_contains(strbuf_str(&text), "      \"section\": \"host-pressure\",\n"
					   "      \"file\": \"/proc/pressure/memory\",\n");
	assert_contains(strbuf_str(&text), "  \"host\": [\n    {\n"
					   "      \"name\": \"cpu_model\",\n"
					   "      \"description\": \"model of the first CPU\"\n");
}

static void underscores_do_not_underline(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	metric_list_format_man_metrics(&text);
	assert_contains(strbuf_str(&text),
			"*wait\\_max* (peak, ns, from sched, \\[non-ext\\] \\[SCHEDSTATS\\])\n"
			"\tlongest wait on a run queue since birth\n\n");
	assert_contains(strbuf_str(&text), "*thread\\_count* (tally, count)\n");
}

static void the_man_page_prints_the_formula_after_the_name(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	metric_list_format_man_derived(&text);
	assert_contains(strbuf_str(&text),
			"*avg\\_wait\\_ns* (ns) = wait\\_sum / wait\\_count\n\taverage wait");
}

static void the_man_page_explains_tags_sections_kinds_and_sources(void **state UNUSED)
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
		cmocka_unit_test(a_metric_lists_its_class_tag_before_its_config_tags),
		cmocka_unit_test(everything_is_listed_in_four_parts),
		cmocka_unit_test(a_narrow_terminal_gets_paragraphs),
		cmocka_unit_test(every_row_of_cgroups_pressure_and_host_is_listed),
		cmocka_unit_test(a_metric_says_everything_about_itself),
		cmocka_unit_test(a_derived_metric_has_a_formula_and_inputs),
		cmocka_unit_test(values_besides_threads_say_section_and_file),
		cmocka_unit_test(underscores_do_not_underline),
		cmocka_unit_test(the_man_page_prints_the_formula_after_the_name),
		cmocka_unit_test(the_man_page_explains_tags_sections_kinds_and_sources),
		cmocka_unit_test(values_of_cgroups_pressure_and_host_have_their_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
