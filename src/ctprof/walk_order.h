/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From the samples of several workers to the threads of a snapshot. */
#ifndef KTSTR_CTPROF_WALK_ORDER_H
#define KTSTR_CTPROF_WALK_ORDER_H

#include "ctprof/snapshot.h"

struct sample_list {
	VEC(struct thread_sample) samples;
};

/* Appends the samples and frees the list; an empty snapshot takes them over without a copy. */
void walk_append(struct snapshot *snapshot, struct sample_list *list);

/* By process, then thread. Needs 16 bytes for each, not a second copy. */
void walk_sort(struct thread_sample *samples, size_t n);

/* Of sorted samples: how many are left when each number stands once, with what was seen last. */
size_t walk_unique(struct thread_sample *samples, size_t n);

#endif
