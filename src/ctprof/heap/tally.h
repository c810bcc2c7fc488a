/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How many processes and threads gave their heap counters, and why others did not. A failure
 * counts under the tag of its error. Two tags are no failures unless permission was refused:
 * most processes do not use jemalloc, and a program's link is gone with its process.
 */
#ifndef KTSTR_CTPROF_HEAP_TALLY_H
#define KTSTR_CTPROF_HEAP_TALLY_H

#include "ctprof/snapshot.h"
#include "probe/probe.h"

/* The tag of a process whose files killed the one who read them. */
#define CTPROF_HEAP_WORKER_PANIC "worker-panic"

struct ctprof_heap_tally {
	uint64_t tgids_walked, jemalloc_detected, probed_ok, failed;
	uint64_t denied; /* failures that privileges would cure */
	/* Failures, by kind; the last of the first is CTPROF_HEAP_WORKER_PANIC. */
	uint64_t attach[PROBE_ATTACH_N_ERROR_KINDS + 1];
	uint64_t thread[PROBE_THREAD_N_ERROR_KINDS];
};

void ctprof_heap_tally_attached(struct ctprof_heap_tally *tally);
/* False when that is no failure. */
bool ctprof_heap_tally_not_attached(struct ctprof_heap_tally *tally,
				    enum probe_attach_error_kind kind, int errnum);
void ctprof_heap_tally_panic(struct ctprof_heap_tally *tally);
void ctprof_heap_tally_read(struct ctprof_heap_tally *tally);
void ctprof_heap_tally_not_read(struct ctprof_heap_tally *tally, enum probe_thread_error_kind kind,
				int errnum);

/* The most frequent tag, of equal ones the first in the alphabet; NULL when nothing failed. */
const char *ctprof_heap_tally_dominant(const struct ctprof_heap_tally *tally);
/* At least half of the failures are for want of privileges. */
bool ctprof_heap_tally_is_denied(const struct ctprof_heap_tally *tally);
void ctprof_heap_tally_summarise(const struct ctprof_heap_tally *tally,
				 struct ctprof_snapshot *snapshot);

#endif
