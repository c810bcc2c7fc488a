/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sched_ext: what its parts share. */
#ifndef KTSTR_DUMP_SCX_H
#define KTSTR_DUMP_SCX_H

#include "dump/dump.h"

/* Time in the guest, for ages. */
struct dump_scx_clock {
	bool known;
	uint64_t jiffies;
	uint64_t hz; /* 0: not known, ages are jiffies */
};

/* Queues in which nobody waits, by where they come from. */
enum { DUMP_SCX_N_ORIGINS = 4 };
struct dump_scx_empty {
	uint64_t n[DUMP_SCX_N_ORIGINS];
	uint64_t n_ids;
	struct strbuf ids; /* of the scheduler's own, not of too many */
};

struct dump_scx_view {
	struct kmem *kmem;
	const struct dump_request *request;
	struct dump_sink *sink;
	uint64_t root; /* struct scx_sched; 0: no scheduler is loaded */
	struct dump_scx_clock clock;
	uint64_t runqueues;  /* the per-CPU symbol */
	uint64_t steps_left; /* of all lists together */
	struct dump_scx_empty empty;
};

/* Over a list of this view. */
struct kmem_walk dump_scx_walk(struct dump_scx_view *view);
/* A task that waits: one line or one object. `dsq`: tell where it waits. */
void dump_scx_show_task(struct dump_scx_view *view, uint64_t task, bool dsq);
/*
 * All queues: of CPUs, of nodes, those that the scheduler made, and those of bypass mode where the
 * kernel has them (since Linux 6.19). In JSON the member "dsqs".
 */
void dump_scx_show_dsqs(struct dump_scx_view *view);

#endif
