/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which CPUs a thread may run on, as the kernel holds it: sched_getaffinity(2). */
#ifndef KTSTR_CTPROF_AFFINITY_H
#define KTSTR_CTPROF_AFFINITY_H

#include <sys/types.h>

#include "procfs/cpu_list.h"

/* The mask of the thread that was asked last. */
struct affinity {
	unsigned long *words;
	size_t n_words;
	size_t used_words; /* 0: none yet */
};

void affinity_init(struct affinity *affinity);
void affinity_deinit(struct affinity *affinity);

/*
 * 0, or the errno; ENODATA when no CPU is in the mask. *ret_same: the mask is the one of the call
 * before, as it is for most threads.
 */
int affinity_read(struct affinity *affinity, pid_t tid, bool *ret_same);
/* The mask as ids. */
void affinity_ids(const struct affinity *affinity, struct cpu_ids *ret);

#endif
