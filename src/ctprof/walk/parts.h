/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a walk is made of, besides reading a thread. */
#ifndef KTSTR_CTPROF_WALK_PARTS_H
#define KTSTR_CTPROF_WALK_PARTS_H

#include <pthread.h>
#include <sys/types.h>

#include "base/vec.h"
#include "ctprof/capture.h"
#include "ctprof/snapshot.h"
#include "ctprof/walk/thread.h"
#include "procfs/task.h"

/* How much of a host, or of what claims to be one, a capture takes in. */
enum {
	CTPROF_LIMIT_PROCESSES = PROCFS_LIMIT_THREADS,
	CTPROF_LIMIT_THREADS = PROCFS_LIMIT_THREADS,
	/* One file of a thread. A status file with all of 65,536 groups has 0.7 MB. */
	CTPROF_LIMIT_FILE_BYTES = 2 << 20,
	/* Reading in parallel helps as far as the kernel's locks let it. */
	CTPROF_LIMIT_JOBS = 256,
};

/* From the samples of several workers to the threads of a snapshot. */
struct ctprof_sample_list {
	VEC(struct metric_thread_sample) samples;
};

/* Appends the samples and frees the list; an empty snapshot takes them over without a copy. */
void ctprof_walk_append(struct ctprof_snapshot *snapshot, struct ctprof_sample_list *list);

/* By process, then thread. Needs 16 bytes for each, not a second copy. */
void ctprof_walk_sort(struct metric_thread_sample *samples, size_t n);

/* Of sorted samples: how many are left when each number stands once, with what was seen last. */
size_t ctprof_walk_unique(struct metric_thread_sample *samples, size_t n);

#endif
