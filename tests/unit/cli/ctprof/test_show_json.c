// SPDX-License-Identifier: GPL-2.0-or-later
#include "made_profile.h"

static void format(struct made *m, struct strbuf *into)
{
	made_show(m);
	show_format_json(&m->profile, into);
	made_end(m);
}

static void every_kind_of_value_has_its_members(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct made m;

	made_begin(&m);
	assert_success(spec_parse_metrics(
		"run_time_ns,nice,state,cpu_affinity,rchar,cpu_efficiency", &m.options.metrics));
	format(&m, &text);
	assert_contains(strbuf_str(&text), "\"nice\": {\n"
					   "          \"least\": 0,\n"
					   "          \"most\": 10,\n"
					   "          \"measured\": 2,\n"
					   "          \"of\": 3\n");
	assert_contains(strbuf_str(&text), "\"state\": {\n"
					   "          \"value\": \"R\",\n"
					   "          \"counts\": {\n"
					   "            \"R\": 2\n"
					   "          },\n");
	assert_contains(strbuf_str(&text), "\"cpu_affinity\": {\n"
					   "          \"least\": 2,\n"
					   "          \"most\": 2,\n"
					   "          \"cpus\": \"0-1\",\n");
	assert_contains(strbuf_str(&text), "\"run_time_ns\": {\n"
					   "          \"value\": 1234567,\n");
	assert_contains(strbuf_str(&text), "\"cpu_efficiency\": {\n"
					   "          \"value\": 0.25,\n");
	/* Known to be 0, and not known. */
	assert_contains(strbuf_str(&text), "\"rchar\": {\n"
					   "          \"value\": 0,\n"
					   "          \"measured\": 1,\n");
	assert_contains(strbuf_str(&text), "\"rchar\": {\n"
					   "          \"value\": null,\n"
					   "          \"measured\": 0,\n");
}

static void keys_are_whole_and_in_parts(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct made m;

	made_begin(&m);
	m.options.rules.axis = CTPROF_GROUP_AXIS_ALL;
	m.options.top = 1;
	assert_success(spec_parse_metrics("minflt", &m.options.metrics));
	format(&m, &text);
	assert_contains(strbuf_str(&text), "\"group\": \"/s/db.scope/db/db\",\n"
					   "      \"cgroup\": \"/s/db.scope\",\n"
					   "      \"process\": \"db\",\n"
					   "      \"thread\": \"db\",\n"
					   "      \"threads\": 1,\n");
	assert_contains(strbuf_str(&text), "\"group_by\": \"all\"");
}

static void unknown_values_are_null_in_json(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct made m;

	made_begin(&m);
	m.snapshot.reasons[METRIC_SOURCE_IO][CTPROF_SNAPSHOT_REASON_VANISHED] = 3;
	format(&m, &text);
	assert_contains(strbuf_str(&text), "\"capture_end_unix_ns\": null");
	assert_contains(strbuf_str(&text), "\"host\": null");
	assert_contains(strbuf_str(&text), "\"parse_summary\": null");
	assert_contains(strbuf_str(&text), "\"io\": {\n      \"vanished\": 3\n    }");
	assert_contains(strbuf_str(&text), "\"cpu.some.avg10\": null");
	assert_contains(strbuf_str(&text), "\"live_heap_estimate\": {\n          \"value\": null");
}

static void a_live_heap_is_an_exact_integer(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct made m;

	made_begin(&m);
	metric_sample_set(&m.snapshot.threads.at[0], METRIC_ALLOCATED_BYTES, UINT64_MAX - 1);
	metric_sample_set(&m.snapshot.threads.at[0], METRIC_DEALLOCATED_BYTES, 0);
	metric_sample_set(&m.snapshot.threads.at[1], METRIC_ALLOCATED_BYTES, 0);
	metric_sample_set(&m.snapshot.threads.at[1], METRIC_DEALLOCATED_BYTES,
			  UINT64_C(9007199254740993));
	assert_success(spec_parse_metrics("live_heap_estimate", &m.options.metrics));
	format(&m, &text);
	assert_contains(strbuf_str(&text), "\"value\": 18446744073709551614,");
	assert_contains(strbuf_str(&text), "\"value\": -9007199254740993,");
}

static void sections_hold_groups_and_their_values(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct procfs_cgroup_stats *stats;
	struct made m;

	made_begin(&m);
	stats = add_cgroup(&m.snapshot, "/s/db.scope");
	stats->memory_max = (struct procfs_reading){ true, true, 0 };
	stats->memory_high = (struct procfs_reading){ true, false, 7 };
	stats->pressure.resources[PROCFS_PRESSURE_IO] = (struct procfs_pressure_file){
		true, .half[PROCFS_PRESSURE_SOME] = { true, 5, 250, 0, 9 }
	};
	add_cgroup(&m.snapshot, "/s/web@1.service");
	m.options.rules.axis = CTPROF_GROUP_AXIS_CGROUP;
	format(&m, &text);
	assert_contains(strbuf_str(&text), "\"cgroup-limits\": [\n"
					   "      {\n"
					   "        \"group\": \"/s/db.scope\",\n"
					   "        \"cgroup\": \"/s/db.scope\",\n"
					   "        \"values\": {\n"
					   "          \"cpu.max.quota_us\": null,\n");
	assert_contains(strbuf_str(&text), "\"memory.max\": \"max\"");
	assert_contains(strbuf_str(&text), "\"memory.high\": 7");
	assert_contains(strbuf_str(&text), "\"io.some.avg60\": 2.5,");
	assert_null(strstr(strbuf_str(&text), "\"cpu.max\":"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_of_value_has_its_members),
		cmocka_unit_test(keys_are_whole_and_in_parts),
		cmocka_unit_test(unknown_values_are_null_in_json),
		cmocka_unit_test(a_live_heap_is_an_exact_integer),
		cmocka_unit_test(sections_hold_groups_and_their_values),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
