/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What attach.c makes and snapshot.c uses; private to this room. */
#ifndef KTSTR_PROBE_STATE_H
#define KTSTR_PROBE_STATE_H

#include "probe/counters.h"
#include "probe/glibc.h"
#include "probe/layout.h"
#include "probe/objects.h"
#include "probe/probe.h"
#include "probe/tracer.h"
#include "procfs/task.h"

/* A thread seen in an earlier snapshot. Its pointer is believed only after the checks of each read.
 */
struct probe_known_thread {
	pid_t tid;
	/* What the target's own C library calls it; 0 when that could not be read. */
	pid_t inner_tid;
	int comm_fd; /* bound to this very thread; -1 when descriptors are scarce */
	bool gone;   /* seen to have ended: the same number is another thread from now on */
	bool has_stat;
	struct procfs_stat stat; /* state and start time as first read, the name as last read */
	bool has_pointer;
	uint64_t thread_pointer;
	enum probe_method method;
};

struct probe_known_threads {
	VEC(struct probe_known_thread) rows; /* sorted by tid */
	bool nested;			     /* the target lives in a pid namespace below ours */
	size_t n_open;			     /* how many comm_fd are open */
};

struct probe {
	pid_t pid;
	enum probe_stop_policy stop;
	const struct cancel *cancel;
	struct probe_remote_process memory;
	struct procfs_address_space space; /* what the offsets were found for */

	char *object_path;
	char *offsets_source;
	VEC(struct probe_other) others;
	enum probe_evidence evidence;
	struct probe_counter_place place;

	bool has_glibc;
	struct error *no_glibc; /* why not */
	struct probe_glibc_layout glibc;

	struct probe_tracer tracer;
	struct procfs_task_dir tasks;
	struct probe_known_threads known;
};

/*
 * Does a live process prove a row of the layout table? Looks at every thread twice: at least one
 * must have allocated and hold what nothing else looks like. An error names what did not fit, or
 * what is missing. A process we may not read cannot be asked: that is not an error here, each
 * thread will say it later. BASE_CANCELLED when there was no time to look. shift is one of
 * probe_layout_shifts() of the row.
 */
struct error *probe_validate_layout(struct probe *probe, const struct probe_layout *layout,
				    int64_t shift) MUST_CHECK;

/* The threads that can be looked at while attaching, before there is a snapshot. */
struct probe_attach_threads {
	VEC(struct probe_listed_thread) rows;
};

/*
 * Those of glibc's list; the main thread alone, stopped for it, when there is none and that is
 * allowed. Maybe nobody.
 */
void probe_attach_threads_collect(struct probe *probe, struct probe_attach_threads *ret);
/*
 * Bytes that they have allocated at probe->place, all together; false when none could be read.
 * False as well for a process that may not be read.
 */
bool probe_attach_threads_allocated(struct probe *probe, uint64_t *ret);

/*
 * Which of a process's objects holds the jemalloc to read, and where its counters are. Fills
 * probe->place, evidence, object_path, offsets_source and others. Of several jemallocs it is the
 * one that most was allocated with. Errors of the attach domain, except BASE_CANCELLED.
 */
struct error *probe_resolve_jemalloc(struct probe *probe, struct probe_objects *objects,
				     const struct probe_options *options) MUST_CHECK;

/*
 * The threads of the last snapshot, so that the next one need not find them again: keeps what is
 * still listed, forgets what is not, adds what is new.
 */
void probe_known_threads_update(struct probe_known_threads *known,
				const struct procfs_task_dir *tasks,
				const struct procfs_id_list *listed);
void probe_known_threads_deinit(struct probe_known_threads *known);

/*
 * Reads the thread's name or start time again. NULL: the thread has not gone
 * and is the same as before; of one that glibc listed, pthread.tid says whether it still
 * runs. ESRCH: it went, or its number belongs to another one now.
 */
struct error *probe_known_thread_confirm(struct probe_known_thread *thread,
					 const struct procfs_task_dir *tasks) MUST_CHECK;

/* Fills missing thread pointers from glibc's lists. True when none is missing any more. */
bool probe_known_threads_take_pointers(struct probe_known_threads *known,
				       const struct probe_thread_list *list);

#endif
