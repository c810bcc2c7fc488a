// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/walk/thread.h"

#include "unit.h"

static void push(struct ctprof_sample_list *list, uint32_t tgid, uint32_t tid)
{
	struct metric_thread_sample sample = { .tid = tid, .tgid = tgid };

	/* So that a mixed up sample is seen. */
	sample.values[METRIC_N - 1] = (uint64_t)tgid << 32 | tid;
	vec_push(&list->samples, sample);
}

static void assert_in_order(const struct metric_thread_sample *samples, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t key = (uint64_t)samples[i].tgid << 32 | samples[i].tid;

		assert_true(samples[i].values[METRIC_N - 1] == key);
		if (i)
			assert_true(samples[i - 1].values[METRIC_N - 1] < key);
	}
}

static void any_order_becomes_the_order_of_threads(void **state UNUSED)
{
	enum { N = 1000 };
	struct ctprof_sample_list list = { VEC_INIT };
	uint32_t mixed = 1;

	for (uint32_t i = 0; i < N; i++) {
		mixed = mixed * 7 % 1009; /* a generator of all numbers below 1009, or near it */
		push(&list, mixed / 10, mixed * 1009 + i);
	}
	ctprof_walk_sort(list.samples.at, list.samples.n);
	assert_in_order(list.samples.at, list.samples.n);
	ctprof_walk_sort(list.samples.at, list.samples.n);
	assert_in_order(list.samples.at, list.samples.n);
	vec_deinit(&list.samples);
	ctprof_walk_sort(NULL, 0);
}

static void of_samples_with_one_tid_the_last_is_kept(void **state UNUSED)
{
	static const uint32_t tids[] = { 5, 6, 5, 7, 5, 6 };
	struct ctprof_sample_list list = { VEC_INIT };

	for (size_t i = 0; i < ARRAY_SIZE(tids); i++) {
		push(&list, 5, tids[i]);
		list.samples.at[i].start_ticks = i;
	}
	ctprof_walk_sort(list.samples.at, list.samples.n);
	list.samples.n = ctprof_walk_unique(list.samples.at, list.samples.n);
	assert_int_equal(list.samples.n, 3);
	assert_in_order(list.samples.at, list.samples.n);
	assert_int_equal(list.samples.at[0].start_ticks, 4);
	assert_int_equal(list.samples.at[1].start_ticks, 5);
	assert_int_equal(list.samples.at[2].start_ticks, 3);
	vec_deinit(&list.samples);
	assert_int_equal(ctprof_walk_unique(NULL, 0), 0);
}

static void samples_of_several_workers_become_one_list(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot snapshot;
	struct ctprof_sample_list lists[4] = { 0 };
	const struct metric_thread_sample *kept;

	ctprof_snapshot_init(&snapshot);
	push(&lists[0], 1, 1);
	push(&lists[0], 5, 5);
	push(&lists[2], 3, 4);
	push(&lists[2], 3, 3);
	push(&lists[3], 5, 6);
	kept = lists[0].samples.at;
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		ctprof_walk_append(&snapshot, &lists[i]);
		assert_null(lists[i].samples.at);
		if (i == 0)
			assert_ptr_equal(snapshot.threads.at, kept);
	}
	assert_int_equal(snapshot.threads.n, 5);
	ctprof_walk_sort(snapshot.threads.at, snapshot.threads.n);
	assert_in_order(snapshot.threads.at, snapshot.threads.n);
	assert_int_equal(snapshot.threads.at[1].tid, 3);
	assert_int_equal(snapshot.threads.at[4].tid, 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_order_becomes_the_order_of_threads),
		cmocka_unit_test(of_samples_with_one_tid_the_last_is_kept),
		cmocka_unit_test(samples_of_several_workers_become_one_list),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
