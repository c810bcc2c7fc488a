// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/walk/thread.h"

#include "fake_proc.h"

static void every_field_of_stat_is_its_metric(void **state UNUSED)
{
	_cleanup_free_ char *line = fake_stat_line(5, "x", 777, -5, 42);
	struct metric_thread_sample sample = { 0 };

	assert_true(ctprof_walk_take(METRIC_SOURCE_STAT, line, strlen(line), &sample, NULL));
	assert_int_equal(sample.start_ticks, 777);
	assert_metric(&sample, MINFLT, 110);
	assert_metric(&sample, MAJFLT, 112);
	assert_metric(&sample, UTIME_CLOCK_TICKS, 114);
	assert_metric(&sample, STIME_CLOCK_TICKS, 115);
	assert_metric(&sample, PRIORITY, 118);
	assert_metric(&sample, NICE, (uint64_t)(int64_t)-5);
	assert_metric(&sample, PROCESSOR, 139);
	assert_metric(&sample, RT_PRIORITY, 140);
	assert_metric(&sample, POLICY, 42);
	assert_unknown(&sample, THREAD_COUNT);
}

static void malformed_thread_files_set_nothing(void **state UNUSED)
{
	struct metric_thread_sample sample = { 0 }, untouched = { 0 };
	unsigned int negative = 0;
	struct slice cpus;

	assert_false(ctprof_walk_take(METRIC_SOURCE_STAT, "no bracket", 10, &sample, NULL));
	assert_false(ctprof_walk_take(METRIC_SOURCE_SCHEDSTAT, "\n", 1, &sample, NULL));
	assert_false(ctprof_walk_take(METRIC_SOURCE_IO, "x\n", 2, &sample, NULL));
	assert_false(ctprof_walk_take_status("x\n", 2, &sample, &cpus));
	assert_false(ctprof_walk_take(METRIC_SOURCE_SCHED, "x\n", 2, &sample, &negative));
	assert_memory_equal(&sample, &untouched, sizeof(sample));
}

static void only_a_group_leader_has_a_thread_count(void **state UNUSED)
{
	static const char text[] = "State:\tS\nThreads:\t3\n";
	struct metric_thread_sample leader = { .tid = 7, .tgid = 7 },
				    other = { .tid = 8, .tgid = 7 };
	struct slice cpus;

	assert_true(ctprof_walk_take_status(text, strlen(text), &leader, &cpus));
	assert_metric(&leader, NR_THREADS, 3);
	assert_true(ctprof_walk_take_status(text, strlen(text), &other, &cpus));
	assert_unknown(&other, NR_THREADS);
	assert_metric(&other, STATE, 'S');
}

static void take_sched(const char *text, struct metric_thread_sample *sample)
{
	unsigned int negative = 0;

	*sample = (struct metric_thread_sample){ 0 };
	assert_true(ctprof_walk_take(METRIC_SOURCE_SCHED, text, strlen(text), sample, &negative));
}

static void voluntary_sleep_needs_sleep_and_block_sums(void **state UNUSED)
{
	struct metric_thread_sample sample;

	take_sched("sum_sleep_runtime : 5.000001\nsum_block_runtime : 2.000000\n", &sample);
	assert_metric(&sample, VOLUNTARY_SLEEP_NS, 3000001);
	assert_metric(&sample, BLOCK_SUM, 2000000);
	take_sched("sum_sleep_runtime : 5.000000\n", &sample);
	assert_unknown(&sample, VOLUNTARY_SLEEP_NS);
	take_sched("sum_block_runtime : 5.000000\n", &sample);
	assert_unknown(&sample, VOLUNTARY_SLEEP_NS);
	assert_metric(&sample, BLOCK_SUM, 5000000);
	take_sched("sum_sleep_runtime : 1.0\nsum_block_runtime : 2.0\n", &sample);
	assert_metric(&sample, VOLUNTARY_SLEEP_NS, 0);
	take_sched("sum_sleep_runtime : 9.0\nsum_block_runtime : -2.0\n", &sample);
	assert_unknown(&sample, VOLUNTARY_SLEEP_NS);
}

/* The name of a metric is its key in the file but for these. */
static void every_key_of_sched_is_the_metric_of_its_name(void **state UNUSED)
{
	static const struct {
		const char *key, *name;
	} others[] = {
		{ "sum_block_runtime", "block_sum" },
		{ "slice", "fair_slice_ns" },
		{ "ext.enabled", "ext_enabled" },
	};
	struct metric_thread_sample sample;
	unsigned int n = 0;

	for (unsigned int id = 0; id < METRIC_N; id++) {
		const char *key = metric_rows[id].name;
		_cleanup_free_ char *line = NULL;

		if (metric_rows[id].source != METRIC_SOURCE_SCHED ||
		    id == METRIC_VOLUNTARY_SLEEP_NS)
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(others); i++)
			if (strcmp(others[i].name, key) == 0)
				key = others[i].key;
		line = xasprintf("%s : 1\n", key);
		take_sched(line, &sample);
		assert_true(metric_sample_knows(&sample, id));
		assert_int_equal(sample.values[id], 1);
		n++;
	}
	assert_int_equal(n, 25);
}

static void bytes_and_times_are_their_metrics(void **state UNUSED)
{
	static const char io[] = "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 5\n"
				 "write_bytes: 6\ncancelled_write_bytes: 7\n";
	struct metric_thread_sample sample = { 0 };

	assert_true(ctprof_walk_take(METRIC_SOURCE_IO, io, strlen(io), &sample, NULL));
	assert_metric(&sample, RCHAR, 1);
	assert_metric(&sample, WCHAR, 2);
	assert_metric(&sample, SYSCR, 3);
	assert_metric(&sample, SYSCW, 4);
	assert_metric(&sample, READ_BYTES, 5);
	assert_metric(&sample, WRITE_BYTES, 6);
	assert_metric(&sample, CANCELLED_WRITE_BYTES, 7);
	assert_true(ctprof_walk_take(METRIC_SOURCE_SCHEDSTAT, "10 20 30\n", 9, &sample, NULL));
	assert_metric(&sample, RUN_TIME_NS, 10);
	assert_metric(&sample, WAIT_TIME_NS, 20);
	assert_metric(&sample, TIMESLICES, 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field_of_stat_is_its_metric),
		cmocka_unit_test(malformed_thread_files_set_nothing),
		cmocka_unit_test(only_a_group_leader_has_a_thread_count),
		cmocka_unit_test(voluntary_sleep_needs_sleep_and_block_sums),
		cmocka_unit_test(every_key_of_sched_is_the_metric_of_its_name),
		cmocka_unit_test(bytes_and_times_are_their_metrics),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
