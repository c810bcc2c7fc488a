/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel of build_bpf.h with a scheduler and tasks that wait. */
#ifndef KTSTR_TESTS_BUILD_SCX_H
#define KTSTR_TESTS_BUILD_SCX_H

#include "build_view.h"

enum { RUNQUEUES = 0x40, HZ = 250, JIFFIES = 10000 };

struct scx_fixture {
	uint64_t sched, table, queue, global, task[2];
};

static inline uint64_t scx_rq(uint32_t cpu)
{
	return bpf_percpu_physical(cpu, RUNQUEUES);
}

/* "first" and "second" wait in queue 0x77 and are on the list of CPU 0. */
static inline struct scx_fixture scx_build(struct bpf_fixture *f)
{
	struct scx_fixture s = { .sched = bpf_new(f, 256),
				 .table = bpf_new(f, 64),
				 .queue = bpf_new(f, 64),
				 .global = bpf_new(f, 64) };
	uint64_t globals = bpf_new(f, 8), links[2], idle = bpf_new_task(f, 0, "idle");

	for (uint32_t cpu = 0; cpu < KERNEL_CPUS; cpu++) {
		bpf_put_u64(f, scx_rq(cpu) + RQ_CURR, bpf_at(f, idle));
		bpf_put_u32(f, scx_rq(cpu) + RQ_FLAGS, 1);
		bpf_link(f, scx_rq(cpu) + RQ_SCX + DSQ_LIST, NULL, 0);
		bpf_link(f, scx_rq(cpu) + RQ_RUNNABLE, NULL, 0);
	}
	for (uint32_t i = 0; i < 2; i++) {
		s.task[i] = bpf_new_task(f, 11 + i, i ? "second" : "first");
		bpf_put_u64(f, s.task[i] + SCX_SINCE, JIFFIES - HZ * (1 + i));
		bpf_put_u64(f, s.task[i] + SCX_SLICE, 5000);
		bpf_put_u64(f, s.task[i] + SCX_DSQ, bpf_at(f, s.queue));
		links[i] = s.task[i] + SCX_RUNNABLE;
	}
	bpf_link(f, scx_rq(0) + RQ_RUNNABLE, links, 2);
	bpf_put_u32(f, scx_rq(0) + RQ_SCX_NR, 2);
	links[0] = s.task[0] + SCX_LINK;
	links[1] = s.task[1] + SCX_LINK;
	bpf_link(f, s.queue + DSQ_LIST, links, 2);
	bpf_put_u32(f, s.queue + DSQ_NR, 2);
	bpf_put_u64(f, s.queue + DSQ_ID, 0x77);
	bpf_put_u64(f, s.queue + DSQ_NODE, 1);
	bpf_link(f, s.global + DSQ_LIST, NULL, 0);
	bpf_put_u64(f, globals, bpf_at(f, s.global));
	/* Two buckets, the second with the queue. */
	bpf_put_u32(f, s.table, 2);
	bpf_put_u64(f, s.table + 16 + 8, bpf_at(f, s.queue + DSQ_NODE));
	build_put(&f->k.memory, s.sched + SCHED_NAME, "ktfifo", 7);
	bpf_put_u32(f, s.sched + SCHED_TIMEOUT, 20000);
	bpf_put_u64(f, s.sched + SCHED_WATCHDOG, 20 * HZ);
	bpf_put_u64(f, s.sched + SCHED_HASH, bpf_at(f, s.table));
	bpf_put_u64(f, s.sched + SCHED_GLOBAL, bpf_at(f, globals));
	bpf_put_u64(f, s.sched + SCHED_PCPU, bpf_percpu(f, 0x2000));
	bpf_put_u64(f, IMAGE_AT + AT_SCX_ROOT, bpf_at(f, s.sched));
	bpf_put_u32(f, IMAGE_AT + AT_SCX_STATE, 1);
	bpf_put_u64(f, IMAGE_AT + AT_JIFFIES, JIFFIES);
	return s;
}

#endif
