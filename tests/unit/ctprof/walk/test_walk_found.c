// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/stages.h"

#include "fake_proc.h"

struct stage {
	char *root;
	struct ctprof_options options;
	struct ctprof_snapshot snapshot;
};

static int make_stage(void **state)
{
	struct stage *s = xnew(struct stage);

	s->root = staged_root_new();
	s->options = (struct ctprof_options){ .root = s->root, .sources = CTPROF_WALK_SOURCES };
	ctprof_snapshot_init(&s->snapshot);
	*state = s;
	return 0;
}

static int remove_stage(void **state)
{
	struct stage *s = *state;

	ctprof_snapshot_deinit(&s->snapshot);
	staged_root_free(s->root);
	free(s);
	return 0;
}

/* A thread that somebody has found, with these sources and a number of faults that /proc has not.
 */
static void found(struct stage *s, uint32_t tgid, uint32_t tid, uint32_t sources,
		  uint64_t start_ticks)
{
	struct metric_thread_sample sample = {
		.tgid = tgid,
		.tid = tid,
		.sources = sources,
		.start_ticks = start_ticks,
		.cpu_affinity = METRIC_SAMPLE_NO_ENTRY,
		.smaps = METRIC_SAMPLE_NO_ENTRY,
	};

	if (sources & METRIC_SOURCE_BIT(COMM))
		sample.comm = sample.pcomm = intern_add(&s->snapshot.strings, "found");
	if (sources & METRIC_SOURCE_BIT(STAT))
		metric_sample_set(&sample, METRIC_MINFLT, 999);
	vec_push(&s->snapshot.threads, sample);
}

static void fill(struct stage *s)
{
	assert_success(ctprof_walk_threads(&s->options, 0, &s->snapshot));
}

static void only_missing_sources_are_read_from_proc(void **state)
{
	struct stage *s = *state;
	const uint32_t had = METRIC_SOURCE_BIT(COMM) | METRIC_SOURCE_BIT(STAT);
	const struct metric_thread_sample *leader, *other;
	uint32_t id;

	fake_thread(s->root, 10, 10, "in-proc", 500);
	fake_thread(s->root, 10, 11, "in-proc", 501);
	fake_file(s->root, 10, 10, "smaps_rollup", "Rss: 5 kB\n");
	fake_file(s->root, 10, 11, "io", "rchar: 7\n");
	found(s, 10, 10, had, 500);
	found(s, 10, 11, had, 501);
	fill(s);
	leader = &s->snapshot.threads.at[0];
	other = &s->snapshot.threads.at[1];
	assert_string_equal(intern_text(&s->snapshot.strings, leader->comm), "found");
	assert_false(intern_find(&s->snapshot.strings, "in-proc", &id));
	assert_metric(leader, MINFLT, 999);
	assert_metric(leader, VOLUNTARY_CSW, 7);
	assert_metric(leader, NR_THREADS, 3);
	assert_true(leader->sources & METRIC_SOURCE_BIT(SMAPS));
	assert_metric(other, RCHAR, 7);
	assert_unknown(other, NR_THREADS);
	assert_int_equal(s->snapshot.parse.tids_walked, 2);
	assert_int_equal(s->snapshot.parse.read_failures_by_source[METRIC_SOURCE_STAT], 0);
	assert_int_equal(s->snapshot.parse.read_failures_by_source[METRIC_SOURCE_IO], 1);
	assert_int_equal(s->snapshot.reasons[METRIC_SOURCE_IO][CTPROF_SNAPSHOT_REASON_NO_SUCH_FILE],
			 1);
}

static void a_process_with_every_source_is_not_opened(void **state)
{
	struct stage *s = *state;

	fake_text(s->root, "/proc/loadavg", "");
	found(s, 10, 10, CTPROF_WALK_SOURCES, 500);
	found(s, 10, 11, CTPROF_WALK_SOURCES & ~METRIC_SOURCE_BIT(SMAPS), 500);
	fill(s);
	for (size_t i = 0; i < METRIC_N_SOURCES; i++)
		assert_int_equal(s->snapshot.parse.read_failures_by_source[i], 0);
	assert_int_equal(s->snapshot.parse.tids_walked, 2);
}

static void names_are_read_where_they_are_missing(void **state)
{
	struct stage *s = *state;
	const struct metric_thread_sample *thread;

	fake_thread(s->root, 10, 10, "kworker/0:1-ev", 500);
	found(s, 10, 10, METRIC_SOURCE_BIT(STAT), 500);
	fill(s);
	thread = &s->snapshot.threads.at[0];
	assert_string_equal(intern_text(&s->snapshot.strings, thread->comm), "kworker/0:1-ev");
	assert_string_equal(intern_text(&s->snapshot.strings, thread->pcomm), "kworker/0:1-ev");
}

static void a_reused_tid_adds_no_values(void **state)
{
	struct stage *s = *state;
	const struct metric_thread_sample *thread;

	fake_thread(s->root, 10, 10, "other", 777);
	fake_file(s->root, 10, 10, "io", "rchar: 7\n");
	found(s, 10, 10, METRIC_SOURCE_BIT(COMM) | METRIC_SOURCE_BIT(STAT), 500);
	fill(s);
	thread = &s->snapshot.threads.at[0];
	assert_unknown(thread, RCHAR);
	assert_unknown(thread, VOLUNTARY_CSW);
	assert_int_equal(thread->cpu_affinity, METRIC_SAMPLE_NO_ENTRY);
	assert_int_equal(thread->sources, METRIC_SOURCE_BIT(COMM) | METRIC_SOURCE_BIT(STAT));
	assert_int_equal(s->snapshot.reasons[METRIC_SOURCE_IO][CTPROF_SNAPSHOT_REASON_VANISHED], 1);
	assert_int_equal(s->snapshot.reasons[METRIC_SOURCE_STATUS][CTPROF_SNAPSHOT_REASON_VANISHED],
			 1);
}

static void a_process_that_is_gone_keeps_what_was_found(void **state)
{
	struct stage *s = *state;

	fake_text(s->root, "/proc/loadavg", "");
	found(s, 10, 10, METRIC_SOURCE_BIT(COMM) | METRIC_SOURCE_BIT(STAT), 500);
	fill(s);
	assert_int_equal(s->snapshot.threads.n, 1);
	assert_metric(&s->snapshot.threads.at[0], MINFLT, 999);
	assert_int_equal(s->snapshot.reasons[METRIC_SOURCE_IO][CTPROF_SNAPSHOT_REASON_VANISHED], 1);
}

static void threads_outside_the_cgroup_glob_are_dropped(void **state)
{
	struct stage *s = *state;
	uint32_t wanted = intern_add(&s->snapshot.strings, "/w/a");
	uint32_t unwanted = intern_add(&s->snapshot.strings, "/x");

	s->options.cgroup_glob = "/w/**";
	s->options.sources = METRIC_SOURCE_BIT(CGROUP);
	fake_text(s->root, "/proc/loadavg", "");
	for (uint32_t i = 0; i < 6; i++) {
		found(s, 10, 10 + i, i < 4 ? METRIC_SOURCE_BIT(CGROUP) : 0, 0);
		s->snapshot.threads.at[i].cgroup = i % 2 ? wanted : unwanted;
	}
	fake_file(s->root, 10, 14, "cgroup", "0::/w/b\n");
	fill(s);
	assert_int_equal(s->snapshot.threads.n, 3);
	assert_int_equal(s->snapshot.threads.at[0].tid, 11);
	assert_int_equal(s->snapshot.threads.at[1].tid, 13);
	assert_int_equal(s->snapshot.threads.at[2].tid, 14);
}

#define stage_test(name) cmocka_unit_test_setup_teardown(name, make_stage, remove_stage)

int main(void)
{
	const struct CMUnitTest tests[] = {
		stage_test(only_missing_sources_are_read_from_proc),
		stage_test(a_process_with_every_source_is_not_opened),
		stage_test(names_are_read_where_they_are_missing),
		stage_test(a_reused_tid_adds_no_values),
		stage_test(a_process_that_is_gone_keeps_what_was_found),
		stage_test(threads_outside_the_cgroup_glob_are_dropped),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
