/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The threads that can be looked at while attaching, before there is a snapshot. */
#ifndef KTSTR_PROBE_ATTACH_THREADS_H
#define KTSTR_PROBE_ATTACH_THREADS_H

#include "probe/state.h"

struct attach_threads {
	VEC(struct listed_thread) rows;
};

/*
 * Those of glibc's list; the main thread alone, stopped for it, when there is none and that is
 * allowed. Maybe nobody.
 */
void attach_threads_collect(struct probe *probe, struct attach_threads *ret);
/*
 * Bytes that they have allocated at probe->place, all together; false when none could be read.
 * A process that nobody may read has no answer.
 */
bool attach_threads_allocated(struct probe *probe, uint64_t *ret);

#endif
