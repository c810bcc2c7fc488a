/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The life of one worker, from the fork to its end. */
#ifndef KTSTR_WORK_WORKER_H
#define KTSTR_WORK_WORKER_H

#include <sys/types.h>

#include "work/group.h"

/* What a worker says before it waits at the gate. */
struct work_worker_status {
	uint32_t worker;
	uint32_t stage;
	int32_t errnum; /* 0: it is at the gate */
};

enum work_worker_stage { WORK_WORKER_SETUP, WORK_WORKER_PLACE };

/* Called in the child with all signals blocked. Word goes out through word_fd. */
_Noreturn void work_worker_run(struct work_group *group, unsigned int i, pid_t parent,
			       int cgroup_fd, int word_fd);

#endif
