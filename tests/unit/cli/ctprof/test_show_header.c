// SPDX-License-Identifier: GPL-2.0-or-later
#include "made_profile.h"

static void format(struct made *m, size_t columns, struct strbuf *into)
{
	made_show(m);
	show_format_header(&m->profile, &(struct text_look){ .columns = columns }, into);
	made_end(m);
}

static void the_header_shows_time_host_and_quality_of_the_capture(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct made m;

	made_begin(&m);
	m.origin.frame = 2;
	m.origin.frames = 3;
	m.snapshot.capture_end_unix_ns = (struct procfs_reading){ true, false,
								  UINT64_C(1700000000135456789) };
	m.snapshot.has_host = true;
	m.snapshot.host.kernel_name = xstrdup("Linux");
	m.snapshot.host.kernel_release = xstrdup("9.9");
	m.snapshot.host.arch = xstrdup("x86_64");
	m.snapshot.host.cpu_model = xstrdup("Fast One");
	m.snapshot.host.online_cpus = (struct host_number){ true, 4 };
	m.snapshot.host.numa_nodes = (struct host_number){ true, 2 };
	m.snapshot.host.total_memory_kib = (struct host_number){ true, 2 << 20 };
	m.snapshot.parse = (struct ctprof_parse_summary){ .known = true, .tids_walked = 4 };
	m.snapshot.probe = (struct ctprof_probe_summary){ .known = true, .tgids_walked = 3 };
	m.snapshot.taskstats = (struct ctprof_taskstats_summary){ .known = true, .ok = 4 };
	m.snapshot.paths[METRIC_SOURCE_STAT] = CTPROF_SNAPSHOT_PATH_BPF;
	m.snapshot.paths[METRIC_SOURCE_IO] = CTPROF_SNAPSHOT_PATH_PROCFS;
	m.snapshot.paths[METRIC_SOURCE_SMAPS] = CTPROF_SNAPSHOT_PATH_PROCFS;
	m.snapshot.reasons[METRIC_SOURCE_IO][CTPROF_SNAPSHOT_REASON_NO_PERMISSION] = 1;
	m.snapshot.reasons[METRIC_SOURCE_HEAP][CTPROF_SNAPSHOT_REASON_NOT_ASKED] = 4;
	m.snapshot.reasons[METRIC_SOURCE_SMAPS][CTPROF_SNAPSHOT_REASON_NO_MEMORY] = 2;
	m.snapshot.reasons[METRIC_SOURCE_SMAPS][CTPROF_SNAPSHOT_REASON_VANISHED] = 2;
	format(&m, 0, &text);
	assert_string_equal(
		strbuf_str(&text),
		"snapshot  a.ctprof.zst, 2 of 3 snapshots\n"
		"captured  2023-11-14 22:13:20.123 UTC, took 12.0 ms\n"
		"host      Linux 9.9 x86_64, 4 CPUs in 2 nodes, Fast One, 2.0 GiB\n"
		"threads   4 in 3 processes, 0 cgroups\n"
		"parse     4 tids walked, 0 read failures\n"
		"probe     3 tgids walked, 0 jemalloc detected, 0 probed OK, 0 failed\n"
		"taskstats 4 tids queried, 4 OK, 0 failed\n"
		"sources   procfs: io smaps_rollup; bpf: stat; not read: comm cgroup schedstat status "
		"sched affinity taskstats-cpu taskstats-delay taskstats-xacct heap\n"
		"unread    io in 1 thread (no-permission), smaps_rollup in 2 threads (vanished)\n");
}

static void a_file_without_presence_says_so(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct made m;

	made_begin(&m);
	m.snapshot.has_presence = false;
	format(&m, 0, &text);
	assert_string_equal(
		strbuf_str(&text),
		"snapshot  a.ctprof.zst\n"
		"captured  2023-11-14 22:13:20.123 UTC\n"
		"threads   4 in 3 processes, 0 cgroups\n"
		"note      the file does not say which values were measured (presence not in file): "
		"delays, watermarks and heap go by their flags, all others count as measured\n");
}

static void lines_are_wrapped_at_the_terminal(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct made m;

	made_begin(&m);
	format(&m, 60, &text);
	for (const char *at = strbuf_str(&text); *at;) {
		size_t n = strcspn(at, "\n");

		assert_true(n <= 60);
		at += n + 1;
	}
	assert_contains(strbuf_str(&text), "\nsources   not read: comm");
	assert_contains(strbuf_str(&text), "\n          ");
}

static void control_characters_in_the_path_are_escaped(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct made m;

	made_begin(&m);
	free(m.origin.path);
	m.origin.path = xstrdup("a\033[2Jb");
	format(&m, 0, &text);
	assert_null(strchr(strbuf_str(&text), '\033'));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_header_shows_time_host_and_quality_of_the_capture),
		cmocka_unit_test(a_file_without_presence_says_so),
		cmocka_unit_test(lines_are_wrapped_at_the_terminal),
		cmocka_unit_test(control_characters_in_the_path_are_escaped),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
