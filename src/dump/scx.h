/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sched_ext: what its parts share. */
#ifndef KTSTR_DUMP_SCX_H
#define KTSTR_DUMP_SCX_H

#include "dump/dump.h"

/* Time in the guest, for ages. */
struct scx_clock {
	bool known;
	uint64_t jiffies;
	uint64_t hz; /* 0: not known, ages are jiffies */
};

struct scx_view {
	struct kmem *kmem;
	const struct dump_request *request;
	struct dump_sink *sink;
	uint64_t root; /* struct scx_sched; 0: no scheduler is loaded */
	struct scx_clock clock;
	uint64_t runqueues;  /* the per-CPU symbol */
	uint64_t steps_left; /* of all lists together */
};

/* Over a list of this view. */
struct kmem_walk scx_walk(struct scx_view *view);
/* A task that waits: one line or one object. `dsq`: tell where it waits. */
void scx_show_task(struct scx_view *view, uint64_t task, bool dsq);
/*
 * All queues: of CPUs, of nodes, those that the scheduler made, and those of bypass mode where the
 * kernel has them (since Linux 6.19). In JSON the member "dsqs".
 */
void scx_show_dsqs(struct scx_view *view);

#endif
