/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What attach.c makes and snapshot.c uses; private to this room. */
#ifndef KTSTR_PROBE_STATE_H
#define KTSTR_PROBE_STATE_H

#include "probe/counters.h"
#include "probe/glibc.h"
#include "probe/probe.h"
#include "probe/remote.h"
#include "probe/tracer.h"
#include "procfs/process.h"
#include "procfs/task.h"

/* A thread seen in an earlier snapshot. Its pointer is believed only after the checks of each read.
 */
struct known_thread {
	pid_t tid;
	/* What the target's own C library calls it; 0 when that could not be read. */
	pid_t inner_tid;
	int comm_fd; /* bound to this very thread; -1 when descriptors are scarce */
	bool gone;   /* seen to have ended: the same number is another thread from now on */
	bool has_stat;
	struct proc_stat stat; /* state and start time as first read, the name as last read */
	bool has_pointer;
	uint64_t thread_pointer;
	enum probe_method method;
};

struct known_threads {
	VEC(struct known_thread) rows; /* sorted by tid */
	bool nested;		       /* the target lives in a pid namespace below ours */
	size_t n_open;		       /* how many comm_fd are open */
};

struct probe {
	pid_t pid;
	enum probe_stop_policy stop;
	const struct cancel *cancel;
	struct remote_process memory;
	struct address_space space; /* what the offsets were found for */

	char *object_path;
	char *offsets_source;
	VEC(struct probe_other) others;
	enum probe_evidence evidence;
	struct counter_place place;

	bool has_glibc;
	struct error *no_glibc; /* why not */
	struct glibc_layout glibc;

	struct tracer tracer;
	struct task_dir tasks;
	struct known_threads known;
};

#endif
