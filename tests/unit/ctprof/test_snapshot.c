// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/snapshot.h"

#include "files.h"
#include "unit.h"

static void a_new_snapshot_knows_nothing_and_has_the_empty_string(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot snapshot;

	ctprof_snapshot_init(&snapshot);
	assert_int_equal(snapshot.schema_version, CTPROF_SNAPSHOT_SCHEMA_VERSION);
	assert_int_equal(snapshot.threads.n, 0);
	assert_false(snapshot.has_presence);
	assert_false(snapshot.parse.known);
	assert_string_equal(intern_text(&snapshot.strings, 0), "");
}

static void equal_cpu_lists_are_stored_once(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot snapshot;
	uint32_t two[] = { 0, 1 }, others[] = { 0, 2 }, copy[] = { 0, 1 };

	ctprof_snapshot_init(&snapshot);
	assert_int_equal(ctprof_snapshot_add_cpu_list(&snapshot, two, 2), 0);
	assert_int_equal(ctprof_snapshot_add_cpu_list(&snapshot, others, 2), 1);
	assert_int_equal(ctprof_snapshot_add_cpu_list(&snapshot, copy, 2), 0);
	assert_int_equal(ctprof_snapshot_add_cpu_list(&snapshot, two, 1), 2);
	assert_int_equal(ctprof_snapshot_add_cpu_list(&snapshot, NULL, 0), 3);
	assert_int_equal(ctprof_snapshot_add_cpu_list(&snapshot, NULL, 0), 3);
	assert_int_equal(snapshot.cpu_lists.n, 4);
	/* A copy: the caller's ids may change. */
	two[1] = 7;
	assert_int_equal(snapshot.cpu_lists.at[0].at[1], 1);
}

static void many_cpu_lists_keep_their_numbers(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot snapshot;

	ctprof_snapshot_init(&snapshot);
	for (uint32_t round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < 5000; i++)
			assert_int_equal(ctprof_snapshot_add_cpu_list(&snapshot, &i, 1), i);
	}
	assert_int_equal(snapshot.cpu_lists.n, 5000);
}

/* What a snapshot owns is counted by the leak checker. */
static void snapshot_deinit_frees_every_table(void **state UNUSED)
{
	struct ctprof_snapshot snapshot;
	struct ctprof_snapshot_cgroup cgroup = { 0 };
	struct procfs_named_readings smaps = { .known = true };

	ctprof_snapshot_init(&snapshot);
	vec_push(&smaps.rows, (struct procfs_named_reading){ .value = 1 });
	vec_push(&snapshot.smaps, smaps);
	vec_push(&cgroup.stats.memory_stat.rows, (struct procfs_named_reading){ .value = 1 });
	vec_push(&cgroup.stats.memory_events.rows, (struct procfs_named_reading){ .value = 1 });
	vec_push(&cgroup.stats.io_stat.rows, (struct procfs_named_reading){ .value = 1 });
	vec_push(&snapshot.cgroups, cgroup);
	vec_push(&snapshot.sched_ext.events.rows, (struct procfs_named_reading){ .value = 1 });
	vec_push(&snapshot.threads, (struct metric_thread_sample){ .tid = 1 });
	snapshot.host.arch = xstrdup("x86_64");
	ctprof_snapshot_deinit(&snapshot);
	assert_null(snapshot.threads.at);
	/* Twice does no harm. */
	ctprof_snapshot_deinit(&snapshot);
}

static void assert_line(bool (*format)(const struct ctprof_snapshot *, struct strbuf *),
			const struct ctprof_snapshot *s, const char *expected)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	assert_true(format(s, &text));
	assert_string_equal(strbuf_str(&text), expected);
}

static void summaries_that_were_not_counted_have_no_line(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;

	ctprof_snapshot_init(&s);
	assert_false(ctprof_summary_format_probe(&s, &text));
	assert_false(ctprof_summary_format_parse(&s, &text));
	assert_false(ctprof_summary_format_taskstats(&s, &text));
	assert_int_equal(text.n, 0);
}

static void the_probe_line_names_the_dominant_failure_and_a_hint(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;

	ctprof_snapshot_init(&s);
	s.probe = (struct ctprof_probe_summary){
		.known = true, .tgids_walked = 10, .jemalloc_detected = 3, .probed_ok = 40
	};
	assert_line(ctprof_summary_format_probe, &s,
		    "ctprof probe: 10 tgids walked, 3 jemalloc detected, 40 probed OK, 0 failed");
	s.probe.failed = 2;
	s.probe.dominant_failure = add_string(&s, "dwarf-parse-failure");
	assert_line(
		ctprof_summary_format_probe, &s,
		"ctprof probe: 10 tgids walked, 3 jemalloc detected, 40 probed OK, 2 failed (dominant: dwarf-parse-failure)");
	s.probe.privilege_dominant = true;
	assert_line(
		ctprof_summary_format_probe, &s,
		"ctprof probe: 10 tgids walked, 3 jemalloc detected, 40 probed OK, 2 failed (dominant: dwarf-parse-failure; hint: re-run as root, or sudo setcap cap_sys_ptrace+eip $(which ktstr), or set kernel.yama.ptrace_scope=0)");
}

static void the_parse_line_leaves_out_what_did_not_happen(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;

	ctprof_snapshot_init(&s);
	s.parse = (struct ctprof_parse_summary){ .known = true, .tids_walked = 7 };
	assert_line(ctprof_summary_format_parse, &s,
		    "ctprof parse: 7 tids walked, 0 read failures");
	s.parse.negative_dotted_values = 2;
	assert_line(ctprof_summary_format_parse, &s,
		    "ctprof parse: 7 tids walked, 0 read failures, 2 negative-dotted values");
	s.closed_processes = 4;
	assert_line(
		ctprof_summary_format_parse, &s,
		"ctprof parse: 7 tids walked, 0 read failures, 2 negative-dotted values, 4 processes that do not show their threads");
	s.closed_processes = 0;
	s.parse.read_failures = 3;
	s.parse.dominant_read_failure = add_string(&s, "io");
	s.parse.kernel_config_dominant = true;
	assert_line(
		ctprof_summary_format_parse, &s,
		"ctprof parse: 7 tids walked, 3 read failures, 2 negative-dotted values (dominant: io); hint: schedstat / io read failures dominate — kernel may be built without CONFIG_SCHED_INFO and/or CONFIG_TASK_IO_ACCOUNTING");
}

/* The flag is the file's, and stays; the words are of why the files were not read. */
static void denied_reads_are_not_blamed_on_the_kernel_config(void **state UNUSED)
{
	static const char begin[] = "ctprof parse: 9 tids walked, 4 read failures; hint: ";
	static const char rights[] =
		"schedstat / io read failures dominate — rights are missing: re-run as root, or sudo setcap cap_sys_ptrace+eip $(which ktstr)";
	static const char kernel[] =
		"schedstat / io read failures dominate — kernel may be built without CONFIG_SCHED_INFO and/or CONFIG_TASK_IO_ACCOUNTING";
	static const struct {
		uint64_t io_refused, io_lacking, schedstat_refused, schedstat_lacking;
		const char *hint;
	} rows[] = {
		{ 4, 0, 0, 0, rights },
		{ 0, 0, 4, 0, rights },
		{ 3, 0, 0, 1, rights },
		{ 0, 4, 0, 0, kernel },
		{ 0, 0, 0, 4, kernel },
		{ 1, 0, 0, 3, kernel },
		{ 2, 0, 0, 2, kernel },
		{ UINT64_MAX, 0, UINT64_MAX, 0, rights },
		{ 4, UINT64_MAX, 0, UINT64_MAX, kernel },
		{ 0, 0, 0, 0, kernel },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_free_ char *expected = xasprintf("%s%s", begin, rows[i].hint);
		_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;

		ctprof_snapshot_init(&s);
		s.parse = (struct ctprof_parse_summary){ .known = true,
							 .tids_walked = 9,
							 .read_failures = 4,
							 .kernel_config_dominant = true };
		s.reasons[METRIC_SOURCE_IO][CTPROF_SNAPSHOT_REASON_NO_PERMISSION] =
			rows[i].io_refused;
		s.reasons[METRIC_SOURCE_IO][CTPROF_SNAPSHOT_REASON_NO_SUCH_FILE] =
			rows[i].io_lacking;
		s.reasons[METRIC_SOURCE_SCHEDSTAT][CTPROF_SNAPSHOT_REASON_NO_PERMISSION] =
			rows[i].schedstat_refused;
		s.reasons[METRIC_SOURCE_SCHEDSTAT][CTPROF_SNAPSHOT_REASON_NO_SUCH_FILE] =
			rows[i].schedstat_lacking;
		/* What others failed of says nothing about these. */
		s.reasons[METRIC_SOURCE_SMAPS][CTPROF_SNAPSHOT_REASON_NO_PERMISSION] = 100;
		assert_line(ctprof_summary_format_parse, &s, expected);
	}
}

static void taskstats_has_a_line_in_the_same_style(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;

	ctprof_snapshot_init(&s);
	s.taskstats = (struct ctprof_taskstats_summary){ .known = true, .ok = 5 };
	assert_line(ctprof_summary_format_taskstats, &s,
		    "ctprof taskstats: 5 tids queried, 5 OK, 0 failed");
	s.taskstats.esrch = 2;
	s.taskstats.other = 2;
	assert_line(ctprof_summary_format_taskstats, &s,
		    "ctprof taskstats: 9 tids queried, 5 OK, 4 failed (dominant: esrch)");
	s.taskstats.eperm = 4;
	assert_line(
		ctprof_summary_format_taskstats, &s,
		"ctprof taskstats: 13 tids queried, 5 OK, 8 failed (dominant: eperm; hint: re-run as root, or sudo setcap cap_net_admin+eip $(which ktstr))");
	s.taskstats = (struct ctprof_taskstats_summary){ .known = true };
	assert_line(ctprof_summary_format_taskstats, &s,
		    "ctprof taskstats: 0 tids queried, 0 OK, 0 failed");
	vec_push(&s.threads, full_sample(&s, 1, 1));
	assert_line(
		ctprof_summary_format_taskstats, &s,
		"ctprof taskstats: 0 tids queried, 0 OK, 0 failed; hint: kernel may be built without CONFIG_TASKSTATS");
}

/* The iterator has told all of them, or the kernel is told not to count. */
static void unqueried_taskstats_are_not_reported_as_missing(void **state UNUSED)
{
	static const char none_queried[] = "ctprof taskstats: 0 tids queried, 0 OK, 0 failed";
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;

	ctprof_snapshot_init(&s);
	s.has_presence = true;
	s.taskstats = (struct ctprof_taskstats_summary){ .known = true };
	vec_push(&s.threads, full_sample(&s, 1, 1));
	s.reasons[METRIC_SOURCE_DELAY_BLOCK][CTPROF_SNAPSHOT_REASON_SWITCHED_OFF] = 1;
	assert_line(ctprof_summary_format_taskstats, &s, none_queried);
	s.reasons[METRIC_SOURCE_DELAY_CPU][CTPROF_SNAPSHOT_REASON_NO_SUCH_FILE] = 1;
	assert_line(
		ctprof_summary_format_taskstats, &s,
		"ctprof taskstats: 0 tids queried, 0 OK, 0 failed; hint: kernel may be built without CONFIG_TASKSTATS");
	s.paths[METRIC_SOURCE_XACCT] = CTPROF_SNAPSHOT_PATH_BPF;
	assert_line(ctprof_summary_format_taskstats, &s, none_queried);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_snapshot_knows_nothing_and_has_the_empty_string),
		cmocka_unit_test(equal_cpu_lists_are_stored_once),
		cmocka_unit_test(many_cpu_lists_keep_their_numbers),
		cmocka_unit_test(snapshot_deinit_frees_every_table),
		cmocka_unit_test(summaries_that_were_not_counted_have_no_line),
		cmocka_unit_test(the_probe_line_names_the_dominant_failure_and_a_hint),
		cmocka_unit_test(the_parse_line_leaves_out_what_did_not_happen),
		cmocka_unit_test(denied_reads_are_not_blamed_on_the_kernel_config),
		cmocka_unit_test(taskstats_has_a_line_in_the_same_style),
		cmocka_unit_test(unqueried_taskstats_are_not_reported_as_missing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
