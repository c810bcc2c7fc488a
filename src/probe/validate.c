// SPDX-License-Identifier: LGPL-2.1-or-later
#include "probe/validate.h"

#include <inttypes.h>

#include "base/clock.h"
#include "probe/error.h"
#include "probe/known_threads.h"

/* A thread in the middle of an allocation may be past its event for an instant. */
enum { LOOKS = 5 };
#define LOOK_PAUSE_NS NS_PER_MS
/* Of a walk when the number of threads is unknown. */
enum { VALIDATE_MAX_STEPS = 65536 };

enum look {
	LOOK_SEEN,
	LOOK_NOTHING, /* the thread never used the library, or its stack is another's by now */
	LOOK_BLIND,   /* nothing could be read */
};

struct sampled_thread {
	pid_t tid;
	uint64_t thread_pointer;
	struct layout_sample sample;
	enum look look; /* the last one */
};

struct sampled_threads {
	VEC(struct sampled_thread) rows;
};

/*
 * One read over all places a row names, so that they belong to one moment as
 * far as possible; whose they were is read last.
 */
static enum look sample_thread(const struct probe *probe, const struct layout *layout,
			       int64_t shift, const struct sampled_thread *thread,
			       struct layout_sample *ret)
{
	struct counter_read read = { .thread_pointer = thread->thread_pointer };
	size_t n = probe->has_glibc ? 5 : 4;
	struct remote_range ranges[5];
	int32_t tid = thread->tid;
	uint64_t base;

	counters_locate(&probe->memory.remote, &probe->glibc, &probe->place, 0, &read, 1);
	if (read.status != COUNTER_OK)
		return LOOK_BLIND;
	if (!read.address)
		return LOOK_NOTHING;
	base = read.address + (uint64_t)shift;
	ranges[0] = (struct remote_range){ base + layout->allocated, &ret->allocated, 8,
					   REMOTE_FAULT };
	ranges[1] = (struct remote_range){ base + layout->next_event, &ret->next_event, 8,
					   REMOTE_FAULT };
	ranges[2] = (struct remote_range){ base + layout->deallocated, &ret->deallocated, 8,
					   REMOTE_FAULT };
	ranges[3] = (struct remote_range){ base + layout->state, &ret->state, 1, REMOTE_FAULT };
	ranges[4] = (struct remote_range){ thread->thread_pointer +
						   probe->glibc.threads.pthread_tid,
					   &tid, sizeof(tid), REMOTE_FAULT };
	remote_read_many(&probe->memory.remote, ranges, n);
	for (size_t i = 0; i < n; i++)
		if (ranges[i].status != REMOTE_OK)
			return LOOK_BLIND;
	return tid == thread->tid ? LOOK_SEEN : LOOK_NOTHING;
}

/* Fits, or did at one of a few looks. */
static bool settles(const struct probe *probe, const struct layout *layout, int64_t shift,
		    struct sampled_thread *thread, const struct layout_sample *earlier)
{
	for (int look = 0; look < LOOKS; look++) {
		struct layout_sample now;

		if (look && !cancel_sleep(probe->cancel, LOOK_PAUSE_NS))
			return true;
		thread->look = sample_thread(probe, layout, shift, thread, &now);
		if (thread->look != LOOK_SEEN)
			return true;
		if (earlier ? layout_samples_fit(earlier, &now) : layout_sample_fits(&now)) {
			thread->sample = now;
			return true;
		}
	}
	return false;
}

static struct error *misfit(const struct layout *layout, pid_t tid)
{
	return attach_error(
		ATTACH_DWARF_PARSE_FAILURE, 0,
		"the layout known for jemalloc %s (%s) does not fit what thread %d holds",
		layout->version, layout->origin, (int)tid);
}

/* The main thread's pointer by stopping it: for processes whose thread list cannot be read. */
static void stop_for_pointer(struct probe *probe, struct sampled_threads *threads)
{
	struct stopped_thread stopped;
	struct sampled_thread thread = { .tid = probe->pid };
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
		return VALIDATE_MAX_STEPS;
	gone = task_dir_list(&probe->tasks, &listed);
	if (gone)
		return 0;
	n = listed.tids.n;
	tid_list_deinit(&listed);
	return 2 * n + 1024;
}

static void collect_threads(struct probe *probe, struct sampled_threads *threads)
{
	if (probe->has_glibc) {
		struct thread_list list;

		thread_list_walk(&probe->memory.remote, &probe->glibc.threads, walk_bound(probe),
				 &list);
		for (size_t i = 0; i < list.threads.n; i++)
			vec_push(&threads->rows,
				 (struct sampled_thread){
					 .tid = list.threads.at[i].tid,
					 .thread_pointer = list.threads.at[i].thread_pointer,
				 });
		thread_list_deinit(&list);
	}
	if (threads->rows.n == 0 && probe->stop != PROBE_STOP_NEVER)
		stop_for_pointer(probe, threads);
}

/* A row that nobody contradicted because nobody could be asked is a guess. */
static struct error *check_asked(const struct probe *probe, const struct layout *layout,
				 const struct sampled_threads *threads)
{
	for (size_t i = 0; i < threads->rows.n; i++)
		if (threads->rows.at[i].look != LOOK_BLIND)
			return NULL;
	/* Memory that cannot be read, or pointers nobody may fetch: each thread will say so. */
	if (remote_access(&probe->memory.remote) == REMOTE_DENIED ||
	    remote_access(&probe->memory.remote) == REMOTE_GONE ||
	    (!probe->has_glibc && probe->stop == PROBE_STOP_NEVER))
		return NULL;
	return attach_error(ATTACH_DWARF_PARSE_FAILURE, 0,
			    "the layout known for jemalloc %s (%s) could not be compared with the "
			    "process",
			    layout->version, layout->origin);
}

struct error *validate_layout(struct probe *probe, const struct layout *layout, int64_t shift)
{
	struct sampled_threads threads = { VEC_INIT };
	struct error *err = NULL;

	collect_threads(probe, &threads);
	for (size_t i = 0; i < threads.rows.n && !err; i++) {
		err = cancel_error(probe->cancel, "comparing the layout with the process");
		if (!err && !settles(probe, layout, shift, &threads.rows.at[i], NULL))
			err = misfit(layout, threads.rows.at[i].tid);
	}
	if (!err)
		err = check_asked(probe, layout, &threads);
	for (size_t i = 0; i < threads.rows.n && !err; i++) {
		struct sampled_thread *thread = &threads.rows.at[i];
		struct layout_sample first = thread->sample;

		err = cancel_error(probe->cancel, "comparing the layout with the process");
		if (!err && thread->look == LOOK_SEEN &&
		    !settles(probe, layout, shift, thread, &first))
			err = misfit(layout, thread->tid);
	}
	vec_deinit(&threads.rows);
	return err ? err : cancel_error(probe->cancel, "comparing the layout with the process");
}
