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

/*
 * Who reads what next. Workers take processes in order; the threads of a large one are put back
 * for all of them to share.
 */

/* Threads that are read at a stretch. */
enum { CTPROF_WALK_CHUNK = 128 };

/* A large process whose threads are listed. */
struct ctprof_walk_process {
	pid_t tgid;
	int task_folder;
	uint32_t pcomm;
	uint64_t read_at_ns;
	pid_t *tids;
	size_t n, next;	    /* the queue's */
	unsigned int users; /* the queue's */
};

struct ctprof_walk_queue {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	size_t next, n;	      /* processes */
	unsigned int listing; /* workers that may still share one */
	VEC(struct ctprof_walk_process *) shared;
};

struct ctprof_walk_item {
	struct ctprof_walk_process *process; /* NULL: the process `index` as a whole */
	size_t index;
	size_t begin, end; /* of its tids */
};

void ctprof_walk_queue_init(struct ctprof_walk_queue *queue, size_t n_processes);
void ctprof_walk_queue_deinit(struct ctprof_walk_queue *queue);

/* Waits while others may still share something; false when all is given out. */
bool ctprof_walk_queue_take(struct ctprof_walk_queue *queue, struct ctprof_walk_item *ret);
/* After each item. `share`: the rest of a process that was taken as a whole, or NULL. */
void ctprof_walk_queue_done(struct ctprof_walk_queue *queue, const struct ctprof_walk_item *item,
			    struct ctprof_walk_process *share);

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

/* Threads that another path has found already: what they lack comes from /proc. */

/* For snapshot->threads, which stay where they are, in order; those of other cgroups go. */
void ctprof_walk_fill(const struct ctprof_options *options, int proc_folder,
		      struct ctprof_snapshot *snapshot, struct ctprof_walk_tally *tally);

#endif
