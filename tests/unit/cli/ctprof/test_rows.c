// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/ctprof/show.h"

#include "made_profile.h"

/* "section|label|name|unit|value" of each row, one per line. */
static void take(const struct row *row, void *text_)
{
	struct strbuf *text = ((void **)text_)[0];
	const struct profile *profile = ((void **)text_)[1];

	strbuf_appendf(text, "%s|", metric_sections[row->section].word);
	profile_format_label(profile, &row->key, text);
	strbuf_appendf(text, "|%s|%s|", row->name, row_unit_name(row));
	row_format_value(row, text);
	strbuf_appendf(text, "%s%s%s\n", row_says_something(row) ? "" : " (nothing)",
		       row->for_people ? " people" : "", row->for_programs ? " programs" : "");
}

static void list(struct made *m, struct strbuf *into)
{
	made_show(m);
	for (int i = 0; i < METRIC_N_SECTIONS; i++)
		rows_of_section(&m->profile, (enum metric_section)i, take,
				(void *[]){ into, &m->profile });
}

static struct procfs_reading known(uint64_t value)
{
	return (struct procfs_reading){ true, false, value };
}

static void cgroups_have_their_statistics_and_limits(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct procfs_cgroup_stats *stats;
	struct made m;

	made_begin(&m);
	stats = add_cgroup(&m.snapshot, "/s/db.scope");
	stats->cpu_usage_usec = known(1500000);
	stats->cpu_nr_throttled = known(0);
	stats->cpu_max_quota_us = (struct procfs_reading){ true, false, 50000 };
	stats->cpu_max_period_us = known(100000);
	stats->cpu_weight = known(100);
	stats->cpu_weight_nice = (struct procfs_reading){ true, false, (uint64_t)-7 };
	stats->memory_current = known(1 << 20);
	stats->memory_max = (struct procfs_reading){ true, true, 0 };
	stats->memory_high = (struct procfs_reading){ true, false, 3 << 20 };
	stats->cpuset_effective = (struct procfs_reading){ true, false,
							   intern_add(&m.snapshot.strings, "0-3") };
	add_named(&m.snapshot, &stats->io_stat, "rbytes", 4096);
	add_named(&m.snapshot, &stats->io_stat, "rios", 4096);
	add_named(&m.snapshot, &stats->memory_stat, "anon", 2048);
	add_named(&m.snapshot, &stats->memory_stat, "pgfault", 2048);
	add_named(&m.snapshot, &stats->memory_events, "oom", 1);
	stats->pressure.resources[PROCFS_PRESSURE_CPU] = (struct procfs_pressure_file){
		true, .half[PROCFS_PRESSURE_SOME] = { true, 150, 50, 0, 1234 }
	};
	m.options.rules.axis = CTPROF_GROUP_AXIS_CGROUP;
	list(&m, &text);
	assert_contains(strbuf_str(&text), "cgroup-stats|/s/db.scope|cpu_usage_usec|us|1.500s\n");
	assert_contains(strbuf_str(&text), "|nr_throttled|count|0 (nothing)\n");
	assert_contains(strbuf_str(&text), "|user_usec|us|- (nothing)\n");
	assert_contains(strbuf_str(&text), "|memory_current|bytes|1.000MiB\n");
	assert_contains(strbuf_str(&text), "|rbytes|bytes|4.000KiB\n");
	assert_contains(strbuf_str(&text), "|rios|count|4.096K\n");
	assert_contains(strbuf_str(&text),
			"cgroup-limits|/s/db.scope|cpu.max||50.000ms/100.000ms people\n"
			"cgroup-limits|/s/db.scope|cpu.max.quota_us|us|50.000ms programs\n"
			"cgroup-limits|/s/db.scope|cpu.max.period_us|us|100.000ms programs\n");
	assert_contains(strbuf_str(&text), "|cpu.weight||100\n");
	assert_contains(strbuf_str(&text), "|cpu.weight.nice||-7\n");
	assert_contains(strbuf_str(&text), "|memory.max|bytes|max (nothing)\n");
	assert_contains(strbuf_str(&text), "|memory.high|bytes|3.000MiB\n");
	assert_contains(strbuf_str(&text), "|memory.low|bytes|- (nothing)\n");
	assert_contains(strbuf_str(&text), "|cpuset.cpus.effective||0-3\n");
	assert_contains(strbuf_str(&text), "memory-stat|/s/db.scope|anon|bytes|2.000KiB\n"
					   "memory-stat|/s/db.scope|pgfault|count|2.048K\n"
					   "memory-events|/s/db.scope|oom|count|1\n"
					   "pressure|/s/db.scope|cpu.some.avg10|percent|1.50%\n"
					   "pressure|/s/db.scope|cpu.some.avg60|percent|0.50%\n");
	assert_contains(strbuf_str(&text), "|cpu.some.total_usec|us|1.234ms\n");
	assert_contains(strbuf_str(&text), "|cpu.full.avg10||- (nothing)\n");
	/* One cgroup has no total beside it. */
	assert_null(strstr(strbuf_str(&text), "memory_current_total"));
	made_end(&m);
}

static void cpu_max_without_a_quota_shows_its_period(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct procfs_cgroup_stats *stats;
	struct made m;

	made_begin(&m);
	stats = add_cgroup(&m.snapshot, "/s/db.scope");
	stats->cpu_max_quota_us = (struct procfs_reading){ true, true, 0 };
	stats->cpu_max_period_us = known(100000);
	m.options.rules.axis = CTPROF_GROUP_AXIS_CGROUP;
	list(&m, &text);
	assert_contains(strbuf_str(&text), "|cpu.max||max/100.000ms (nothing) people\n");
	made_end(&m);
}

static void several_cgroups_of_one_key_have_a_total(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct made m;

	made_begin(&m);
	add_cgroup(&m.snapshot, "/s/web@1.service")->memory_current = known(1024);
	add_cgroup(&m.snapshot, "/s/web@2.service")->memory_current = known(3072);
	m.options.rules.axis = CTPROF_GROUP_AXIS_CGROUP;
	list(&m, &text);
	assert_contains(strbuf_str(&text),
			"cgroup-stats|/s/web@{I}.service|memory_current|bytes|3.000KiB\n"
			"cgroup-stats|/s/web@{I}.service|memory_current_total|bytes|4.000KiB\n");
	made_end(&m);
}

static void cgroup_rows_need_the_cgroup_axis(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct made m;

	made_begin(&m);
	add_cgroup(&m.snapshot, "/s/db.scope")->cpu_usage_usec = known(5);
	list(&m, &text);
	assert_null(strstr(strbuf_str(&text), "cgroup-stats"));
	made_end(&m);
}

static void the_host_has_pressure_and_sched_ext(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct made m;

	made_begin(&m);
	m.snapshot.pressure.resources[PROCFS_PRESSURE_IRQ] = (struct procfs_pressure_file){
		true, .half[PROCFS_PRESSURE_FULL] = { true, 1, 2, 10000, 5 }
	};
	m.snapshot.sched_ext = (struct procfs_sched_ext){ .known = true,
							  .state = intern_add(&m.snapshot.strings,
									      "enabled"),
							  .switch_all = known(1),
							  .nr_rejected = known(0) };
	list(&m, &text);
	assert_contains(strbuf_str(&text), "host-pressure|-|irq.full.avg300|percent|100.00%\n");
	assert_contains(strbuf_str(&text), "sched-ext|-|state||enabled\n"
					   "sched-ext|-|ops||- (nothing)\n"
					   "sched-ext|-|switch_all||1\n"
					   "sched-ext|-|nr_rejected||0 (nothing)\n"
					   "sched-ext|-|hotplug_seq||- (nothing)\n");
	made_end(&m);
}

static void a_kernel_without_sched_ext_has_no_rows_of_it(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct made m;

	made_begin(&m);
	list(&m, &text);
	assert_null(strstr(strbuf_str(&text), "sched-ext"));
	made_end(&m);
}

static void smaps_rows_are_in_bytes_and_limited_by_top(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct procfs_named_readings small = { 0 }, large = { 0 };
	struct made m;

	made_begin(&m);
	add_named(&m.snapshot, &small, "Rss", 1);
	add_named(&m.snapshot, &large, "Rss", 2048);
	vec_push(&m.snapshot.smaps, small);
	vec_push(&m.snapshot.smaps, large);
	m.snapshot.threads.at[0].smaps = 1;
	m.snapshot.threads.at[1].smaps = 0;
	m.options.top = 1;
	assert_success(spec_parse_sections("smaps-rollup", &m.options.sections));
	list(&m, &text);
	assert_string_equal(strbuf_str(&text), "smaps-rollup|db|processes|count|1\n"
					       "smaps-rollup|db|Rss|bytes|2.000MiB\n");
	made_end(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cgroups_have_their_statistics_and_limits),
		cmocka_unit_test(cpu_max_without_a_quota_shows_its_period),
		cmocka_unit_test(several_cgroups_of_one_key_have_a_total),
		cmocka_unit_test(cgroup_rows_need_the_cgroup_axis),
		cmocka_unit_test(the_host_has_pressure_and_sched_ext),
		cmocka_unit_test(a_kernel_without_sched_ext_has_no_rows_of_it),
		cmocka_unit_test(smaps_rows_are_in_bytes_and_limited_by_top),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
