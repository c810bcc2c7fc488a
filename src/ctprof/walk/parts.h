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

/* How much of a host, or of what claims to be one, a capture takes in. */
enum {
	/* The kernel's own bound is PID_MAX_LIMIT, 4 Mi. */
	CTPROF_LIMIT_PROCESSES = 4 << 20,
	CTPROF_LIMIT_THREADS = 4 << 20,
	/* One file of a thread. A status file with all of 65,536 groups has 0.7 MB. */
	CTPROF_LIMIT_FILE_BYTES = 2 << 20,
	/* Reading in parallel helps as far as the kernel's locks let it. */
	CTPROF_LIMIT_JOBS = 256,
};

/* The numbers in a folder of /proc: processes, or the threads of one. */
struct ctprof_id_list {
	VEC(pid_t) ids; /* ascending, each once */
};

/* Replaces the ids; 0, or the errno, E2BIG beyond `limit`. The folder is read from where it is. */
int ctprof_id_list_read(int folder, size_t limit, struct ctprof_id_list *ret);
void ctprof_id_list_deinit(struct ctprof_id_list *list);
/* Puts them in order. */
void ctprof_id_list_sort(struct ctprof_id_list *list);

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
