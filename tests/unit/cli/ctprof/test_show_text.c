// SPDX-License-Identifier: GPL-2.0-or-later
#include "made_profile.h"

static void assert_groups(struct made *m, const char *expected)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	made_show(m);
	show_format_groups(&m->profile, &(struct text_look){ 0 }, &text);
	assert_string_equal(strbuf_str(&text), expected);
	made_end(m);
}

static void each_metric_that_is_not_zero_has_a_line(void **state UNUSED)
{
	struct made m;
	/* Two groups of all metrics but thread_count; 10 values are shown or 0. */
	_cleanup_free_ char *expected = xasprintf(
		"\n## Primary metrics\n"
		"  METRIC               VALUE  MEASURED\n"
		"db  1 thread\n"
		"  nice                    -5\n"
		"  state                    S\n"
		"  run_time_ns          500ns\n"
		"  wait_time_ns       1.500µs\n"
		"web-{N}  3 threads\n"
		"  nice                 0..10  2 of 3\n"
		"  cpu_affinity  2 cpus (0-1)  1 of 3\n"
		"  state                    R  2 of 3\n"
		"  run_time_ns        1.235ms  2 of 3\n"
		"  wait_time_ns       3.000ms  2 of 3\n"
		"(not shown: 1 that are 0 and %d that could not be measured; --all shows them)\n"
		"\n## Derived metrics\n"
		"  METRIC          VALUE  MEASURED\n"
		"db  1 thread\n"
		"  cpu_efficiency  0.250\n"
		"web-{N}  3 threads\n"
		"  cpu_efficiency  0.292  2 of 3\n"
		"(not shown: 32 that could not be measured; --all shows them)\n",
		2 * (METRIC_N - 1) - 10);

	made_begin(&m);
	assert_groups(&m, expected);
}

static void a_few_named_metrics_are_columns(void **state UNUSED)
{
	struct made m;

	made_begin(&m);
	assert_success(
		spec_parse_metrics("wait_time_ns,cpu_efficiency,rchar,state", &m.options.metrics));
	assert_groups(&m,
		      "\n"
		      "PROCESS  THREADS      wait_time_ns  cpu_efficiency  rchar       state\n"
		      "db             1           1.500µs           0.250     0B           S\n"
		      "web-{N}        3  3.000ms (2 of 3)  0.292 (2 of 3)      -  R (2 of 3)\n");
}

static void groups_of_zeros_are_hidden_and_counted(void **state UNUSED)
{
	struct made m;

	made_begin(&m);
	assert_success(spec_parse_metrics("rchar,wchar,cpu_affinity", &m.options.metrics));
	assert_groups(
		&m,
		"\n"
		"PROCESS  THREADS  rchar  wchar           cpu_affinity\n"
		"web-{N}        3      -      -  2 cpus (0-1) (1 of 3)\n"
		"(not shown: 1 group in which all of these are 0 or could not be measured; --all shows them)\n");
}

static void everything_is_shown_when_asked_for(void **state UNUSED)
{
	struct made m;

	made_begin(&m);
	m.options.everything = true;
	assert_success(spec_parse_metrics("rchar,thread_count", &m.options.metrics));
	assert_groups(&m, "\n"
			  "PROCESS  rchar  thread_count\n"
			  "db          0B             1\n"
			  "web-{N}      -             3\n");
}

static void all_rows_of_a_section(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	size_t lines = 0;
	struct made m;

	made_begin(&m);
	m.options.everything = true;
	assert_success(spec_parse_sections("taskstats-delay", &m.options.sections));
	made_show(&m);
	show_format_groups(&m.profile, &(struct text_look){ 0 }, &text);
	for (const char *at = strbuf_str(&text); *at; at++)
		lines += *at == '\n';
	/* Two groups with 34 and with 9 rows and their headings, two titles, and a blank each. */
	assert_int_equal(lines, 2 * (34 + 9) + 2 * 2 + 2 * 3);
	made_end(&m);
}

static void the_axis_all_is_a_tree(void **state UNUSED)
{
	struct made m;

	made_begin(&m);
	m.options.rules.axis = CTPROF_GROUP_AXIS_ALL;
	assert_success(spec_parse_sections("primary", &m.options.sections));
	/* More than a few, so that they are lines. */
	assert_success(spec_parse_metrics(
		"run_time_ns,minflt,majflt,rchar,wchar,syscr,syscw,read_bytes,write_bytes",
		&m.options.metrics));
	assert_groups(
		&m,
		"\n## Primary metrics\n"
		"      METRIC         VALUE\n"
		"/s/db.scope\n"
		"  db\n"
		"    db  1 thread\n"
		"      run_time_ns    500ns\n"
		"/s/web@{I}.service\n"
		"  web-{N}\n"
		"    web-{N}  2 threads\n"
		"      run_time_ns  1.235ms\n"
		"(not shown: 1 that are 0 and 24 that could not be measured; --all shows them)\n");
}

static void single_threads_have_no_number_of_threads(void **state UNUSED)
{
	struct made m;

	made_begin(&m);
	m.options.rules.axis = CTPROF_GROUP_AXIS_THREAD;
	m.options.threads = "web-1";
	m.options.everything = true;
	assert_success(spec_parse_metrics("run_time_ns", &m.options.metrics));
	assert_groups(&m, "\n"
			  "THREAD                run_time_ns\n"
			  "web-1[10]/pool-1[11]            -\n"
			  "web-1[10]/web-1[10]       1.000ms\n");
}

static void the_top_says_of_how_many(void **state UNUSED)
{
	struct made m;

	made_begin(&m);
	m.options.top = 1;
	assert_success(spec_parse_metrics("run_time_ns", &m.options.metrics));
	assert_groups(&m, "\n"
			  "PROCESS  THREADS  run_time_ns\n"
			  "db             1        500ns\n"
			  "(1 of 2 groups)\n");
}

static void a_list_of_cpus_is_cut(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	uint32_t ids[60];
	struct made m;

	made_begin(&m);
	for (uint32_t i = 0; i < ARRAY_SIZE(ids); i++)
		ids[i] = 2 * i;
	m.snapshot.threads.at[0].cpu_affinity = ctprof_snapshot_add_cpu_list(&m.snapshot, ids,
									     ARRAY_SIZE(ids));
	metric_sample_set(&m.snapshot.threads.at[0], METRIC_CPU_AFFINITY, ARRAY_SIZE(ids));
	assert_success(spec_parse_metrics("cpu_affinity", &m.options.metrics));
	m.options.top = 1;
	made_show(&m);
	show_format_groups(&m.profile, &(struct text_look){ 0 }, &text);
	assert_contains(strbuf_str(&text), "  60 cpus (0,2,4,6,8,10,12,14,16,18,2…\n");
	made_end(&m);
}

static void assert_rows(struct made *m, const char *expected)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	made_show(m);
	show_format_rows(&m->profile, &(struct text_look){ 0 }, &text);
	assert_string_equal(strbuf_str(&text), expected);
	made_end(m);
}

static void fill(struct made *m)
{
	struct procfs_cgroup_stats *stats;

	made_begin(m);
	m->options.rules.axis = CTPROF_GROUP_AXIS_CGROUP;
	stats = add_cgroup(&m->snapshot, "/s/db.scope");
	stats->cpu_usage_usec = (struct procfs_reading){ true, false, 1500 };
	add_named(&m->snapshot, &stats->memory_stat, "anon", 4096);
	add_named(&m->snapshot, &stats->memory_stat, "file", 0);
	stats = add_cgroup(&m->snapshot, "/s/web@1.service");
	add_named(&m->snapshot, &stats->memory_stat, "anon", 1024);
	m->snapshot.pressure.resources[PROCFS_PRESSURE_CPU] = (struct procfs_pressure_file){
		true, .half[PROCFS_PRESSURE_SOME] = { true, 0, 250, 0, 9 }
	};
}

static void sections_are_printed_in_turn_without_rows_of_zeros(void **state UNUSED)
{
	struct made m;

	fill(&m);
	assert_rows(&m, "\n## Cgroup statistics\n"
			"CGROUP       cpu_usage_usec\n"
			"/s/db.scope         1.500ms\n"
			"\n## memory.stat\n"
			"  NAME     VALUE\n"
			"/s/db.scope\n"
			"  anon  4.000KiB\n"
			"/s/web@{I}.service\n"
			"  anon  1.000KiB\n"
			"\n## Host pressure\n"
			"NAME                 VALUE\n"
			"cpu.some.avg60       2.50%\n"
			"cpu.some.total_usec    9µs\n");
}

static void everything_includes_what_is_0_or_absent(void **state UNUSED)
{
	struct made m;

	fill(&m);
	m.options.everything = true;
	assert_success(spec_parse_sections("memory-stat,memory-events", &m.options.sections));
	assert_rows(&m, "\n## memory.stat\n"
			"  NAME     VALUE\n"
			"/s/db.scope\n"
			"  anon  4.000KiB\n"
			"  file        0B\n"
			"/s/web@{I}.service\n"
			"  anon  1.000KiB\n");
}

static void every_row_of_a_short_section_when_asked_for(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct made m;

	fill(&m);
	m.options.everything = true;
	assert_success(spec_parse_sections("cgroup-limits", &m.options.sections));
	made_show(&m);
	show_format_rows(&m.profile, &(struct text_look){ 0 }, &text);
	assert_contains(strbuf_str(&text), "\n/s/db.scope\n  cpu.max                    -\n");
	/* What stands in one cell for people is not told twice. */
	assert_null(strstr(strbuf_str(&text), "quota_us"));
	made_end(&m);
}

static void a_snapshot_without_rows_prints_nothing(void **state UNUSED)
{
	struct made m;

	made_begin(&m);
	assert_rows(&m, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_metric_that_is_not_zero_has_a_line),
		cmocka_unit_test(a_few_named_metrics_are_columns),
		cmocka_unit_test(groups_of_zeros_are_hidden_and_counted),
		cmocka_unit_test(everything_is_shown_when_asked_for),
		cmocka_unit_test(all_rows_of_a_section),
		cmocka_unit_test(the_axis_all_is_a_tree),
		cmocka_unit_test(single_threads_have_no_number_of_threads),
		cmocka_unit_test(the_top_says_of_how_many),
		cmocka_unit_test(a_list_of_cpus_is_cut),
		cmocka_unit_test(sections_are_printed_in_turn_without_rows_of_zeros),
		cmocka_unit_test(everything_includes_what_is_0_or_absent),
		cmocka_unit_test(every_row_of_a_short_section_when_asked_for),
		cmocka_unit_test(a_snapshot_without_rows_prints_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
