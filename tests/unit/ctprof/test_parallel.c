// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/parallel.h"

#include <stdatomic.h>

#include "unit.h"

enum { ITEMS = 1000 };

struct work {
	atomic_int done[ITEMS];
	atomic_uint workers; /* bits */
	size_t largest;	     /* with one worker */
	struct cancel *cancel;
};

static void do_items(void *arg, unsigned int worker, size_t begin, size_t end)
{
	struct work *work = arg;

	for (size_t i = begin; i < end; i++)
		atomic_fetch_add(&work->done[i], 1);
	atomic_fetch_or(&work->workers, 1U << worker);
	if (end - begin > work->largest && !worker)
		work->largest = end - begin;
	if (work->cancel && begin >= 100)
		cancel_request(work->cancel);
}

static void every_item_is_done_once(void **state UNUSED)
{
	static const struct {
		unsigned int jobs;
		size_t n, chunk;
	} rows[] = { { 1, ITEMS, 1 }, { 4, ITEMS, 7 }, { 8, ITEMS, ITEMS },
		     { 8, 3, 1 },     { 2, 0, 4 },     { 3, ITEMS, 2000 } };

	for (size_t r = 0; r < ARRAY_SIZE(rows); r++) {
		struct work work = { .largest = 0 };

		parallel_run(rows[r].jobs, rows[r].n, rows[r].chunk, NULL, do_items, &work);
		for (size_t i = 0; i < ITEMS; i++)
			assert_int_equal(atomic_load(&work.done[i]), i < rows[r].n);
		assert_true(work.largest <= rows[r].chunk);
		assert_true(atomic_load(&work.workers) >> rows[r].jobs == 0);
	}
}

static void a_cancel_ends_the_work(void **state UNUSED)
{
	struct cancel cancel = { 0 };
	struct work work = { .cancel = &cancel };

	parallel_run(1, ITEMS, 10, &cancel, do_items, &work);
	assert_int_equal(atomic_load(&work.done[109]), 1);
	assert_int_equal(atomic_load(&work.done[110]), 0);
}

static void there_are_no_more_workers_than_pieces_of_work(void **state UNUSED)
{
	struct capture_options options = { .root = "", .jobs = 4 };

	assert_int_equal(parallel_jobs(&options, 100), 4);
	assert_int_equal(parallel_jobs(&options, 3), 3);
	assert_int_equal(parallel_jobs(&options, 0), 1);
	options.jobs = 1000000;
	assert_int_equal(parallel_jobs(&options, 1000000), 256);
	options.jobs = 0;
	assert_true(parallel_jobs(&options, 1000) >= 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_item_is_done_once),
		cmocka_unit_test(a_cancel_ends_the_work),
		cmocka_unit_test(there_are_no_more_workers_than_pieces_of_work),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
