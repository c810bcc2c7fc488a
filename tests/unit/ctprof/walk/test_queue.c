// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/walk/parts.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>

#include "unit.h"

static struct ctprof_walk_process *process_of(size_t n)
{
	struct ctprof_walk_process *process = xnew(struct ctprof_walk_process);

	process->task_folder = open("/", O_RDONLY | O_CLOEXEC);
	process->tids = xcalloc(n, sizeof(*process->tids));
	process->n = n;
	return process;
}

static void processes_come_in_order_and_then_no_more(void **state UNUSED)
{
	struct ctprof_walk_queue queue;
	struct ctprof_walk_item item;

	ctprof_walk_queue_init(&queue, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_true(ctprof_walk_queue_take(&queue, &item));
		assert_null(item.process);
		assert_int_equal(item.index, i);
		ctprof_walk_queue_done(&queue, &item, NULL);
	}
	assert_false(ctprof_walk_queue_take(&queue, &item));
	ctprof_walk_queue_deinit(&queue);
}

static void a_shared_process_goes_first_and_in_chunks(void **state UNUSED)
{
	const size_t n = 2 * CTPROF_WALK_CHUNK + 1;
	struct ctprof_walk_queue queue;
	struct ctprof_walk_item item, chunk;
	size_t seen = 0;

	ctprof_walk_queue_init(&queue, 2);
	assert_true(ctprof_walk_queue_take(&queue, &item));
	ctprof_walk_queue_done(&queue, &item, process_of(n));
	for (int i = 0; i < 3; i++) {
		assert_true(ctprof_walk_queue_take(&queue, &chunk));
		assert_non_null(chunk.process);
		assert_int_equal(chunk.begin, seen);
		seen = chunk.end;
		ctprof_walk_queue_done(&queue, &chunk, NULL);
	}
	assert_int_equal(seen, n);
	assert_int_equal(queue.shared.n, 0);
	assert_true(ctprof_walk_queue_take(&queue, &item));
	assert_int_equal(item.index, 1);
	ctprof_walk_queue_done(&queue, &item, NULL);
	assert_false(ctprof_walk_queue_take(&queue, &item));
	ctprof_walk_queue_deinit(&queue);
}

enum { WORKERS = 4, PROCESSES = 50, THREADS = 5 * CTPROF_WALK_CHUNK + 3 };

struct crew {
	struct ctprof_walk_queue queue;
	atomic_size_t threads, processes;
};

/* Every fifth process is large. */
static void *work(void *arg)
{
	struct crew *crew = arg;
	struct ctprof_walk_item item;

	while (ctprof_walk_queue_take(&crew->queue, &item)) {
		struct ctprof_walk_process *share = NULL;

		if (item.process) {
			atomic_fetch_add(&crew->threads, item.end - item.begin);
		} else {
			atomic_fetch_add(&crew->processes, 1);
			if (item.index % 5 == 0)
				share = process_of(THREADS);
		}
		ctprof_walk_queue_done(&crew->queue, &item, share);
	}
	return NULL;
}

static void several_workers_get_everything_once(void **state UNUSED)
{
	struct crew crew = { .threads = 0 };
	pthread_t threads[WORKERS];

	ctprof_walk_queue_init(&crew.queue, PROCESSES);
	for (size_t i = 0; i < WORKERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, work, &crew), 0);
	for (size_t i = 0; i < WORKERS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(crew.processes, PROCESSES);
	assert_int_equal(crew.threads, PROCESSES / 5 * THREADS);
	assert_int_equal(crew.queue.shared.n, 0);
	ctprof_walk_queue_deinit(&crew.queue);
}

static void what_nobody_took_is_freed(void **state UNUSED)
{
	struct ctprof_walk_queue queue;
	struct ctprof_walk_item item;

	ctprof_walk_queue_init(&queue, 1);
	assert_true(ctprof_walk_queue_take(&queue, &item));
	ctprof_walk_queue_done(&queue, &item, process_of(10));
	ctprof_walk_queue_deinit(&queue);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(processes_come_in_order_and_then_no_more),
		cmocka_unit_test(a_shared_process_goes_first_and_in_chunks),
		cmocka_unit_test(several_workers_get_everything_once),
		cmocka_unit_test(what_nobody_took_is_freed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
