/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* jemalloc's counters of all threads, without stopping any. */
#ifndef KTSTR_CTPROF_HEAP_H
#define KTSTR_CTPROF_HEAP_H

#include "ctprof/capture.h"

/*
 * After the walk, live only: sets allocated_bytes and deallocated_bytes of every sample whose
 * process uses jemalloc, the reasons of the heap source, and snapshot->probe. Our own process is
 * left out.
 */
void ctprof_read_heap(const struct capture_options *options, struct snapshot *snapshot);

#endif
