// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/walk/thread.h"

#include <fcntl.h>

#include "ctprof/stages.h"
#include "fake_proc.h"

struct stage {
	char *root;
	struct ctprof_options options;
	struct ctprof_snapshot snapshot;
	struct ctprof_walk_tables tables;
	struct ctprof_reader reader;
	struct metric_thread_sample sample;
};

static int make_stage(void **state)
{
	struct stage *s = xnew(struct stage);

	s->root = staged_root_new();
	s->options = (struct ctprof_options){ .root = s->root };
	ctprof_snapshot_init(&s->snapshot);
	ctprof_walk_tables_init(&s->tables, &s->snapshot);
	ctprof_reader_init(&s->reader, &s->options, &s->tables);
	*state = s;
	return 0;
}

static int remove_stage(void **state)
{
	struct stage *s = *state;

	ctprof_reader_deinit(&s->reader);
	ctprof_walk_tables_deinit(&s->tables);
	ctprof_snapshot_deinit(&s->snapshot);
	staged_root_free(s->root);
	free(s);
	return 0;
}

/* Reads a thread of process 10 anew. */
static enum ctprof_thread_outcome read_thread(struct stage *s, uint32_t tid, uint32_t sources)
{
	_cleanup_free_ char *path = xasprintf("%s/proc/10/task", s->root);
	_cleanup_close_ int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_true(dir >= 0);
	s->sample = (struct metric_thread_sample){
		.tid = tid,
		.tgid = 10,
		.cpu_affinity = METRIC_SAMPLE_NO_ENTRY,
		.smaps = METRIC_SAMPLE_NO_ENTRY,
	};
	s->reader.tally = (struct ctprof_walk_tally){ 0 };
	return ctprof_reader_read(&s->reader, dir, sources, &s->sample);
}

static uint64_t reasons(const struct stage *s, enum metric_source source, enum ctprof_reason reason)
{
	return s->reader.tally.reasons[source][reason];
}

static uint64_t failures(const struct stage *s)
{
	uint64_t n = 0;

	for (size_t i = 0; i < METRIC_N_SOURCES; i++)
		n += s->reader.tally.failures[i];
	return n;
}

static void fake_whole_thread(const char *root, int tid)
{
	fake_thread(root, 10, tid, "name", 500);
	fake_file(root, 10, tid, "cgroup", "3:cpu:/v1\n0::/a.slice\n");
	fake_file(root, 10, tid, "schedstat", "11 12 13\n");
	fake_file(root, 10, tid, "io", "rchar: 21\n");
	fake_file(root, 10, tid, "sched", "wait_max : 1.000002\n");
	fake_file(root, 10, tid, "smaps_rollup", "1-2 ---p 00000000 00:00 0 [rollup]\nRss: 5 kB\n");
}

static void every_source_is_read(void **state)
{
	struct stage *s = *state;
	const struct procfs_named_readings *smaps;
	const struct ctprof_cpu_list *cpus;

	fake_whole_thread(s->root, 10);
	assert_int_equal(read_thread(s, 10, CTPROF_WALK_SOURCES), CTPROF_THREAD_KEPT);
	assert_int_equal(s->sample.sources, CTPROF_WALK_SOURCES);
	assert_string_equal(intern_text(&s->snapshot.strings, s->sample.comm), "name");
	assert_string_equal(intern_text(&s->snapshot.strings, s->sample.cgroup), "/a.slice");
	assert_metric(&s->sample, MINFLT, 110);
	assert_metric(&s->sample, RUN_TIME_NS, 11);
	assert_metric(&s->sample, RCHAR, 21);
	assert_metric(&s->sample, NR_THREADS, 3);
	assert_metric(&s->sample, WAIT_MAX, 1000002);
	assert_metric(&s->sample, CPU_AFFINITY, 3);
	cpus = &s->snapshot.cpu_lists.at[s->sample.cpu_affinity];
	assert_int_equal(cpus->n, 3);
	assert_int_equal(cpus->at[2], 4);
	smaps = &s->snapshot.smaps.at[s->sample.smaps];
	assert_int_equal(smaps->rows.n, 1);
	assert_string_equal(intern_text(&s->snapshot.strings, smaps->rows.at[0].name), "Rss");
	assert_int_equal(failures(s), 0);
	assert_int_equal(s->reader.tally.tids_walked, 1);
}

static void only_the_leader_has_smaps_and_a_thread_count(void **state)
{
	struct stage *s = *state;

	fake_whole_thread(s->root, 11);
	assert_int_equal(read_thread(s, 11, CTPROF_WALK_SOURCES), CTPROF_THREAD_KEPT);
	assert_int_equal(s->sample.sources, CTPROF_WALK_SOURCES & ~METRIC_SOURCE_BIT(SMAPS));
	assert_int_equal(s->sample.smaps, METRIC_SAMPLE_NO_ENTRY);
	assert_int_equal(s->snapshot.smaps.n, 0);
	assert_unknown(&s->sample, NR_THREADS);
	/* It is no failure either. */
	for (size_t i = 0; i < CTPROF_N_REASONS; i++)
		assert_int_equal(reasons(s, METRIC_SOURCE_SMAPS, i), 0);
}

static void only_the_files_of_the_wanted_sources_are_opened(void **state)
{
	struct stage *s = *state;

	/* A link in a circle cannot be opened: who tries has a failure. */
	staged_link(s->root, "/proc/10/task/10/stat", "stat");
	staged_link(s->root, "/proc/10/task/10/status", "status");
	staged_link(s->root, "/proc/10/task/10/io", "io");
	staged_link(s->root, "/proc/10/task/10/comm", "comm");
	staged_link(s->root, "/proc/10/task/10/smaps_rollup", "smaps_rollup");
	fake_file(s->root, 10, 10, "schedstat", "11 12 13\n");
	assert_int_equal(read_thread(s, 10, METRIC_SOURCE_BIT(SCHEDSTAT)), CTPROF_THREAD_KEPT);
	assert_int_equal(s->sample.sources, METRIC_SOURCE_BIT(SCHEDSTAT));
	assert_int_equal(failures(s), 0);
	assert_int_equal(read_thread(s, 10, METRIC_SOURCE_BIT(SCHEDSTAT) | METRIC_SOURCE_BIT(IO)),
			 CTPROF_THREAD_KEPT);
	assert_int_equal(reasons(s, METRIC_SOURCE_IO, CTPROF_SNAPSHOT_REASON_OTHER), 1);
	assert_int_equal(failures(s), 1);
}

static void thread_gone_before_its_first_file_is_not_tallied(void **state)
{
	struct stage *s = *state;

	fake_file(s->root, 10, 10, "sched", "wait_max : -1.0\n");
	assert_int_equal(read_thread(s, 10, CTPROF_WALK_SOURCES), CTPROF_THREAD_GHOST);
	assert_int_equal(failures(s), 0);
	assert_int_equal(s->reader.tally.negative_times, 0);
	assert_int_equal(reasons(s, METRIC_SOURCE_COMM, CTPROF_SNAPSHOT_REASON_NO_SUCH_FILE), 0);
	assert_int_equal(s->reader.tally.tids_walked, 1);
	/* A name alone, or a start time alone, makes a thread. */
	fake_file(s->root, 10, 10, "comm", "x\n");
	assert_int_equal(read_thread(s, 10, CTPROF_WALK_SOURCES), CTPROF_THREAD_KEPT);
	assert_int_equal(s->reader.tally.negative_times, 1);
	assert_int_equal(s->reader.tally.failures[METRIC_SOURCE_STAT], 1);
}

/* Too many open files, no memory, a broken link: nothing can be read, yet the thread did not end.
 */
static void an_unopenable_thread_is_kept_with_its_reasons(void **state)
{
	struct stage *s = *state;

	staged_link(s->root, "/proc/10/task/10/comm", "comm");
	staged_link(s->root, "/proc/10/task/10/stat", "stat");
	assert_int_equal(read_thread(s, 10, METRIC_SOURCE_BIT(COMM) | METRIC_SOURCE_BIT(STAT)),
			 CTPROF_THREAD_KEPT);
	assert_int_equal(s->sample.sources, 0);
	assert_int_equal(reasons(s, METRIC_SOURCE_COMM, CTPROF_SNAPSHOT_REASON_OTHER), 1);
	assert_int_equal(reasons(s, METRIC_SOURCE_STAT, CTPROF_SNAPSHOT_REASON_OTHER), 1);
	assert_int_equal(failures(s), 1);
}

static void a_thread_without_any_readable_file_is_dropped(void **state)
{
	struct stage *s = *state;

	fake_file(s->root, 10, 10, "io", "rchar: 1\n");
	assert_int_equal(read_thread(s, 10, METRIC_SOURCE_BIT(IO)), CTPROF_THREAD_KEPT);
	assert_int_equal(read_thread(s, 11, METRIC_SOURCE_BIT(IO)), CTPROF_THREAD_GHOST);
	assert_int_equal(read_thread(s, 10, 0), CTPROF_THREAD_KEPT);
}

static void a_blank_name_is_absent(void **state)
{
	struct stage *s = *state;

	fake_thread(s->root, 10, 10, "x", 500);
	fake_file(s->root, 10, 10, "comm", " \t\n");
	assert_int_equal(read_thread(s, 10, CTPROF_WALK_SOURCES), CTPROF_THREAD_KEPT);
	assert_int_equal(s->sample.comm, 0);
	assert_int_equal(reasons(s, METRIC_SOURCE_COMM, CTPROF_SNAPSHOT_REASON_MALFORMED), 1);
	fake_file(s->root, 10, 10, "comm", "  a b) \n");
	assert_int_equal(read_thread(s, 10, CTPROF_WALK_SOURCES), CTPROF_THREAD_KEPT);
	assert_string_equal(intern_text(&s->snapshot.strings, s->sample.comm), "a b)");
}

static void absent_and_broken_files_have_their_reasons(void **state)
{
	struct stage *s = *state;

	fake_thread(s->root, 10, 10, "x", 500);
	fake_file(s->root, 10, 10, "sched", "nothing here\n");
	fake_file(s->root, 10, 10, "cgroup", "4:memory:/v1\n");
	fake_file(s->root, 10, 10, "smaps_rollup", "");
	assert_int_equal(read_thread(s, 10, CTPROF_WALK_SOURCES), CTPROF_THREAD_KEPT);
	assert_int_equal(reasons(s, METRIC_SOURCE_IO, CTPROF_SNAPSHOT_REASON_NO_SUCH_FILE), 1);
	assert_int_equal(reasons(s, METRIC_SOURCE_SCHEDSTAT, CTPROF_SNAPSHOT_REASON_NO_SUCH_FILE),
			 1);
	assert_int_equal(reasons(s, METRIC_SOURCE_SCHED, CTPROF_SNAPSHOT_REASON_MALFORMED), 1);
	assert_int_equal(reasons(s, METRIC_SOURCE_SMAPS, CTPROF_SNAPSHOT_REASON_MALFORMED), 1);
	assert_int_equal(reasons(s, METRIC_SOURCE_CGROUP, CTPROF_SNAPSHOT_REASON_NO_SUCH_FILE), 1);
	assert_int_equal(s->sample.cgroup, 0);
	/* Two could not be read; what was read and made no sense is not among them. */
	assert_int_equal(failures(s), 2);
}

static void the_list_of_cpus_may_be_broken_or_missing(void **state)
{
	struct stage *s = *state;

	fake_thread(s->root, 10, 10, "x", 500);
	fake_file(s->root, 10, 10, "status", "State:\tR\nCpus_allowed_list:\t5-3\n");
	assert_int_equal(read_thread(s, 10, CTPROF_WALK_SOURCES), CTPROF_THREAD_KEPT);
	assert_unknown(&s->sample, CPU_AFFINITY);
	assert_int_equal(s->sample.cpu_affinity, METRIC_SAMPLE_NO_ENTRY);
	assert_int_equal(reasons(s, METRIC_SOURCE_AFFINITY, CTPROF_SNAPSHOT_REASON_MALFORMED), 1);
	assert_metric(&s->sample, STATE, 'R');
	/* Who wants the CPUs alone gets them from the same file, and nothing else of it. */
	fake_file(s->root, 10, 10, "status", "State:\tR\nCpus_allowed_list:\t3\n");
	assert_int_equal(read_thread(s, 10, METRIC_SOURCE_BIT(AFFINITY)), CTPROF_THREAD_KEPT);
	assert_metric(&s->sample, CPU_AFFINITY, 1);
	assert_unknown(&s->sample, STATE);
	assert_int_equal(s->sample.sources, METRIC_SOURCE_BIT(AFFINITY));
	assert_int_equal(read_thread(s, 11, METRIC_SOURCE_BIT(AFFINITY)), CTPROF_THREAD_GHOST);
}

static void schedstat_zeros_of_a_thread_that_ran_are_unknown(void **state)
{
	struct stage *s = *state;

	fake_thread(s->root, 10, 10, "x", 500);
	fake_file(s->root, 10, 10, "schedstat", "0 0 0\n");
	assert_int_equal(read_thread(s, 10, CTPROF_WALK_SOURCES), CTPROF_THREAD_KEPT);
	assert_unknown(&s->sample, RUN_TIME_NS);
	assert_unknown(&s->sample, TIMESLICES);
	assert_int_equal(s->sample.sources & METRIC_SOURCE_BIT(SCHEDSTAT), 0);
	assert_int_equal(reasons(s, METRIC_SOURCE_SCHEDSTAT, CTPROF_SNAPSHOT_REASON_SWITCHED_OFF),
			 1);
	fake_file(s->root, 10, 10, "schedstat", "0 7 1\n");
	assert_int_equal(read_thread(s, 10, CTPROF_WALK_SOURCES), CTPROF_THREAD_KEPT);
	assert_metric(&s->sample, RUN_TIME_NS, 0);
	/* One that never ran has none. */
	fake_file(s->root, 10, 10, "schedstat", "0 0 0\n");
	fake_file(s->root, 10, 10, "status", "voluntary_ctxt_switches:\t0\n");
	assert_int_equal(read_thread(s, 10, CTPROF_WALK_SOURCES), CTPROF_THREAD_KEPT);
	assert_metric(&s->sample, RUN_TIME_NS, 0);
}

static void only_cgroups_that_match_are_wanted(void **state)
{
	struct stage *s = *state;

	fake_whole_thread(s->root, 10);
	s->options.cgroup_glob = "/a.*";
	assert_int_equal(read_thread(s, 10, METRIC_SOURCE_BIT(COMM)), CTPROF_THREAD_KEPT);
	s->options.cgroup_glob = "/b.*";
	assert_int_equal(read_thread(s, 10, CTPROF_WALK_SOURCES), CTPROF_THREAD_UNWANTED);
	fake_file(s->root, 10, 10, "cgroup", "4:memory:/b.slice\n");
	assert_int_equal(read_thread(s, 10, CTPROF_WALK_SOURCES), CTPROF_THREAD_UNWANTED);
	fake_file(s->root, 10, 10, "cgroup", "0::/b.slice/deeper/still\n");
	assert_int_equal(read_thread(s, 10, CTPROF_WALK_SOURCES), CTPROF_THREAD_UNWANTED);
	s->options.cgroup_glob = "/b.*/**";
	assert_int_equal(read_thread(s, 10, CTPROF_WALK_SOURCES), CTPROF_THREAD_KEPT);
	assert_int_equal(failures(s), 0);
}

static void a_changed_cgroup_is_noticed(void **state)
{
	struct stage *s = *state;
	uint32_t first;

	fake_whole_thread(s->root, 10);
	assert_int_equal(read_thread(s, 10, CTPROF_WALK_SOURCES), CTPROF_THREAD_KEPT);
	first = s->sample.cgroup;
	fake_file(s->root, 10, 10, "cgroup", "0::/a.slice/b\n");
	assert_int_equal(read_thread(s, 10, CTPROF_WALK_SOURCES), CTPROF_THREAD_KEPT);
	assert_string_equal(intern_text(&s->snapshot.strings, s->sample.cgroup), "/a.slice/b");
	assert_int_not_equal(s->sample.cgroup, first);
}

#define stage_test(name) cmocka_unit_test_setup_teardown(name, make_stage, remove_stage)

int main(void)
{
	const struct CMUnitTest tests[] = {
		stage_test(every_source_is_read),
		stage_test(only_the_leader_has_smaps_and_a_thread_count),
		stage_test(only_the_files_of_the_wanted_sources_are_opened),
		stage_test(thread_gone_before_its_first_file_is_not_tallied),
		stage_test(an_unopenable_thread_is_kept_with_its_reasons),
		stage_test(a_thread_without_any_readable_file_is_dropped),
		stage_test(a_blank_name_is_absent),
		stage_test(absent_and_broken_files_have_their_reasons),
		stage_test(the_list_of_cpus_may_be_broken_or_missing),
		stage_test(schedstat_zeros_of_a_thread_that_ran_are_unknown),
		stage_test(only_cgroups_that_match_are_wanted),
		stage_test(a_changed_cgroup_is_noticed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
