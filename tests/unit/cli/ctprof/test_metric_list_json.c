// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/ctprof/metric_list.h"
#include "unit.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_metric_says_everything_about_itself),
		cmocka_unit_test(a_derived_metric_has_a_formula_and_inputs),
		cmocka_unit_test(values_besides_threads_say_section_and_file),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
