// SPDX-License-Identifier: GPL-2.0-or-later
#include "made_profile.h"

static void format(struct made *m, struct strbuf *into)
{
	made_show(m);
	show_format_csv(&m->profile, into);
	made_end(m);
}

static void every_kind_of_value_has_its_fields(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct made m;

	made_begin(&m);
	assert_success(spec_parse_sections("primary,derived", &m.options.sections));
	assert_success(spec_parse_metrics(
		"run_time_ns,nice,state,cpu_affinity,rchar,cpu_efficiency,live_heap_estimate",
		&m.options.metrics));
	format(&m, &text);
	assert_string_equal(
		strbuf_str(&text),
		"section,cgroup,process,thread,threads,metric,unit,value,least,most,measured,of\n"
		"primary,,db,,1,nice,,,-5,-5,1,1\n"
		"primary,,db,,1,cpu_affinity,,,,,0,1\n"
		"primary,,db,,1,state,,S,,,1,1\n"
		"primary,,db,,1,run_time_ns,ns,500,,,1,1\n"
		"primary,,db,,1,rchar,bytes,0,,,1,1\n"
		"derived,,db,,1,cpu_efficiency,ratio,0.25,,,1,1\n"
		"derived,,db,,1,live_heap_estimate,bytes,,,,0,1\n"
		"primary,,web-{N},,3,nice,,,0,10,2,3\n"
		"primary,,web-{N},,3,cpu_affinity,,0-1,2,2,1,3\n"
		"primary,,web-{N},,3,state,,R,,,2,3\n"
		"primary,,web-{N},,3,run_time_ns,ns,1234567,,,2,3\n"
		"primary,,web-{N},,3,rchar,bytes,,,,0,3\n"
		"derived,,web-{N},,3,cpu_efficiency,ratio,0.29154503872532894,,,2,3\n"
		"derived,,web-{N},,3,live_heap_estimate,bytes,,,,0,3\n");
}

static void names_with_commas_and_quotes_are_quoted(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct made m;

	made_begin(&m);
	vec_clear(&m.snapshot.threads);
	add_thread(&m.snapshot, 1, 1, "a,\"b\"\nc", "x", "/");
	assert_success(spec_parse_sections("primary", &m.options.sections));
	assert_success(spec_parse_metrics("thread_count", &m.options.metrics));
	format(&m, &text);
	assert_contains(strbuf_str(&text),
			"\nprimary,,\"a,\"\"b\"\"\nc\",,1,thread_count,count,1,,,1,1\n");
}

static void rows_of_the_host_have_no_threads(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct procfs_cgroup_stats *stats;
	struct made m;

	made_begin(&m);
	stats = add_cgroup(&m.snapshot, "/s/db.scope");
	stats->memory_max = (struct procfs_reading){ true, true, 0 };
	stats->cpu_weight_nice = (struct procfs_reading){ true, false, (uint64_t)-1 };
	stats->cpuset_effective = (struct procfs_reading){ true, false,
							   intern_add(&m.snapshot.strings, "0,2") };
	m.snapshot.pressure.resources[PROCFS_PRESSURE_IO] = (struct procfs_pressure_file){
		true, .half[PROCFS_PRESSURE_SOME] = { true, 5, 250, 0, 9 }
	};
	m.options.rules.axis = CTPROF_GROUP_AXIS_CGROUP;
	assert_success(spec_parse_sections("cgroup-limits,host-pressure", &m.options.sections));
	format(&m, &text);
	assert_contains(strbuf_str(&text),
			"\ncgroup-limits,/s/db.scope,,,,cpu.max.quota_us,us,,,,,\n");
	assert_contains(strbuf_str(&text), ",memory.max,bytes,max,,,,\n");
	assert_contains(strbuf_str(&text), ",cpu.weight.nice,,-1,,,,\n");
	assert_contains(strbuf_str(&text), ",cpuset.cpus.effective,,\"0,2\",,,,\n");
	assert_contains(strbuf_str(&text), "\nhost-pressure,,,,,io.some.avg10,percent,0.05,,,,\n");
	assert_contains(strbuf_str(&text), ",io.some.avg60,percent,2.50,,,,\n");
	assert_null(strstr(strbuf_str(&text), ",cpu.max,"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_of_value_has_its_fields),
		cmocka_unit_test(names_with_commas_and_quotes_are_quoted),
		cmocka_unit_test(rows_of_the_host_have_no_threads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
