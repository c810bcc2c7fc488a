/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Who reads what next. Workers take processes in order; the threads of a large one are put back
 * for all of them to share.
 */
#ifndef KTSTR_CTPROF_WALK_QUEUE_H
#define KTSTR_CTPROF_WALK_QUEUE_H

#include <pthread.h>
#include <sys/types.h>

#include "base/vec.h"

/* Threads that are read at a stretch. */
enum { WALK_CHUNK = 128 };

/* A large process whose threads are listed. */
struct walk_process {
	pid_t tgid;
	int task_folder;
	uint32_t pcomm;
	uint64_t read_at_ns;
	pid_t *tids;
	size_t n, next;	    /* the queue's */
	unsigned int users; /* the queue's */
};

struct walk_queue {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	size_t next, n;	      /* processes */
	unsigned int listing; /* workers that may still share one */
	VEC(struct walk_process *) shared;
};

struct walk_item {
	struct walk_process *process; /* NULL: the process `index` as a whole */
	size_t index;
	size_t begin, end; /* of its tids */
};

void walk_queue_init(struct walk_queue *queue, size_t n_processes);
void walk_queue_deinit(struct walk_queue *queue);

/* Waits while others may still share something; false when all is given out. */
bool walk_queue_take(struct walk_queue *queue, struct walk_item *ret);
/* After each item. `share`: the rest of a process that was taken as a whole, or NULL. */
void walk_queue_done(struct walk_queue *queue, const struct walk_item *item,
		     struct walk_process *share);

#endif
