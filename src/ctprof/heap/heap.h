/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* jemalloc's counters of all threads, without stopping any. */
#ifndef KTSTR_CTPROF_HEAP_HEAP_H
#define KTSTR_CTPROF_HEAP_HEAP_H

#include "ctprof/capture.h"
#include "ctprof/heap/helper.h"

/*
 * After the walk: sets allocated_bytes and deallocated_bytes of every sample whose
 * process uses jemalloc, the reasons of the heap source, and snapshot->probe. Our own process is
 * left out, and so is everybody when the capture is not live. Lines about processes that failed go
 * to options->note.
 */
void ctprof_read_heap(const struct ctprof_options *options, struct ctprof_snapshot *snapshot);
/* The same with other limits for who reads foreign files. */
void ctprof_read_heap_within(const struct ctprof_options *options,
			     const struct ctprof_helper_limits *limits,
			     struct ctprof_snapshot *snapshot);

#endif
