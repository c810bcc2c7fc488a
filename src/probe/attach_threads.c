// SPDX-License-Identifier: LGPL-2.1-or-later
#include "probe/attach_threads.h"

#include "base/alloc.h"

/* Of a walk when the number of threads is unknown. */
enum { MAX_STEPS = 65536 };

/* The main thread's pointer by stopping it: for processes whose thread list cannot be read. */
static void stop_for_pointer(struct probe *probe, struct attach_threads *threads)
{
	struct stopped_thread stopped;
	struct listed_thread thread = { .tid = probe->pid };
	_cleanup_error_ struct error *err = tracer_stop(&probe->tracer, probe->pid, &stopped);

	if (err)
		return;
	err = tracer_thread_pointer(&stopped, &thread.thread_pointer);
	tracer_release(&probe->tracer, &stopped);
	if (!err)
		vec_push(&threads->rows, thread);
}

/* As many nodes as there are threads, twice, and some on their way in or out. */
static size_t walk_bound(struct probe *probe)
{
	struct tid_list listed;
	_cleanup_error_ struct error *gone = NULL;
	size_t n;

	if (!probe->tasks.dir)
		return MAX_STEPS;
	gone = task_dir_list(&probe->tasks, &listed);
	if (gone)
		return 0;
	n = listed.tids.n;
	tid_list_deinit(&listed);
	return 2 * n + 1024;
}

void attach_threads_collect(struct probe *probe, struct attach_threads *ret)
{
	struct attach_threads threads = { VEC_INIT };

	if (probe->has_glibc) {
		struct thread_list list;

		thread_list_walk(&probe->memory.remote, &probe->glibc.threads, walk_bound(probe),
				 &list);
		for (size_t i = 0; i < list.threads.n; i++)
			vec_push(&threads.rows, list.threads.at[i]);
		thread_list_deinit(&list);
	}
	if (threads.rows.n == 0 && probe->stop != PROBE_STOP_NEVER)
		stop_for_pointer(probe, &threads);
	*ret = threads;
}

bool attach_threads_allocated(struct probe *probe, uint64_t *ret)
{
	struct attach_threads threads;
	_cleanup_free_ struct counter_read *reads = NULL;
	uint64_t total = 0;
	bool any = false;

	attach_threads_collect(probe, &threads);
	reads = xcalloc(threads.rows.n, sizeof(*reads));
	for (size_t i = 0; i < threads.rows.n; i++)
		reads[i].thread_pointer = threads.rows.at[i].thread_pointer;
	counters_read(&probe->memory.remote, &probe->glibc, &probe->place, reads, threads.rows.n);
	for (size_t i = 0; i < threads.rows.n; i++) {
		if (reads[i].status != COUNTER_OK)
			continue;
		any = true;
		total += reads[i].allocated_bytes;
	}
	vec_deinit(&threads.rows);
	*ret = total;
	return any;
}
