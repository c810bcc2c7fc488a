/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All runqueues, again and again: how many tasks each has, which one runs. For whoever watches a
 * guest that runs; where things lie is found once, each sweep reads them anew.
 */
#ifndef KTSTR_BENCH_RQ_SWEEP_H
#define KTSTR_BENCH_RQ_SWEEP_H

#include "dump/member.h"

/* Members of one struct that are read together. */
enum { DUMP_LIMIT_SPAN_BYTES = 1 << 16 };

enum dump_rq_number {
	DUMP_RQ_NR_RUNNING,
	DUMP_RQ_CFS,
	DUMP_RQ_RT,
	DUMP_RQ_DL,
	DUMP_RQ_SCX,
	DUMP_RQ_NR_SWITCHES,
	DUMP_RQ_CLOCK,
	DUMP_RQ_CURR, /* addresses of tasks */
	DUMP_RQ_IDLE,
	DUMP_RQ_N_NUMBERS,
};

/* Each number by itself may be unknown to this kernel or unreadable. */
struct dump_rq {
	uint32_t cpu;
	struct dump_member numbers[DUMP_RQ_N_NUMBERS];
	/* Of who runs, when it was asked for; else KMEM_READ_UNKNOWN and "". */
	struct dump_member pid; /* signed */
	char comm[32];		/* "" when it cannot be read */
};

struct dump_rq_sweep;

/* Of every possible CPU. KMEM_NO_FIELD, KMEM_NO_SYMBOL, KMEM_UNREAD: there is nothing to sweep. */
struct error *dump_rq_sweep_new(struct kmem *kmem, struct dump_rq_sweep **ret) MUST_CHECK;
void dump_rq_sweep_free(struct dump_rq_sweep *sweep);
DEFINE_CLEANUP(dump_rq_sweep, struct dump_rq_sweep *, NULL, dump_rq_sweep_free);
#define _cleanup_dump_rq_sweep_ _cleanup_(cleanup_dump_rq_sweep)

/*
 * *ret_n runqueues by rising CPU, borrowed until the next call. With `tasks` also who runs there,
 * which costs as much again. Queues and tasks are read one after the other: in a guest that runs, a
 * task may have gone on meanwhile.
 */
const struct dump_rq *dump_rq_sweep(struct dump_rq_sweep *sweep, bool tasks, size_t *ret_n);

#endif
