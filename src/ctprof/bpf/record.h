/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What bpf/ctprof_task.bpf.c tells of one thread: the kernel's own values, before anything that
 * /proc computes of them. Read by both sides, so it includes nothing but rows.
 */
#ifndef KTSTR_CTPROF_BPF_RECORD_H
#define KTSTR_CTPROF_BPF_RECORD_H

/* Kinds of delay in struct task_delay_info. */
#define CTPROF_BPF_RECORD_DELAYS(X) \
	X(blkio) X(swapin) X(freepages) X(thrashing) X(compact) X(wpcopy) X(irq)

#define BPF_STAT(id, key) CTPROF_BPF_STAT_##key,
enum {
#include "metric/bpf_rows.def"
	CTPROF_BPF_N_STATS
};
#define BPF_IO(id, key) CTPROF_BPF_IO_##key,
enum {
#include "metric/bpf_rows.def"
	CTPROF_BPF_N_IO
};
#define CTPROF_BPF_ENUM_(name) CTPROF_BPF_DELAY_##name,
enum { CTPROF_BPF_RECORD_DELAYS(CTPROF_BPF_ENUM_) CTPROF_BPF_N_DELAYS };
#undef CTPROF_BPF_ENUM_

/* What this kernel has; the rest of a record is 0. */
enum {
	CTPROF_BPF_HAS_PREV_CPUTIME = 1 << 0,
	CTPROF_BPF_HAS_CPU = 1 << 1,
	CTPROF_BPF_HAS_SCHED_INFO = 1 << 2,
	CTPROF_BPF_HAS_RUN_DELAY_EXTREMES = 1 << 3, /* 6.14 */
	CTPROF_BPF_HAS_STATS = 1 << 4,
	CTPROF_BPF_HAS_CORE_FORCEIDLE = 1 << 5,
	CTPROF_BPF_HAS_SLICE = 1 << 6, /* 6.6 */
	CTPROF_BPF_HAS_IO = 1 << 7,
	CTPROF_BPF_HAS_DELAYS = 1 << 8,
	CTPROF_BPF_HAS_DELAY_EXTREMES = 1 << 9, /* 6.14 */
	CTPROF_BPF_HAS_WATERMARKS = 1 << 10,
	CTPROF_BPF_HAS_EXT = 1 << 11, /* 6.12 */
	CTPROF_BPF_HAS_CGROUP = 1 << 12,
	CTPROF_BPF_HAS_FULL_NAME = 1 << 13, /* 5.17 */
	/* This thread began while delays were not counted, and its never will be. */
	CTPROF_BPF_LACKS_DELAYS = 1 << 14,
	/* From this bit on, which kinds of delay. */
	CTPROF_BPF_HAS_DELAY_KINDS_SHIFT = 16,
};

enum {
	CTPROF_BPF_RECORD_COMM = 16,
	CTPROF_BPF_RECORD_NAME = 64, /* /proc shows no more of a kernel thread's name either */
	CTPROF_BPF_RECORD_CPU_WORDS = 16,
};

struct ctprof_bpf_delay {
	unsigned long long count, total_ns, max_ns, min_ns;
};

struct ctprof_bpf_record {
	unsigned int has;
	unsigned int flags; /* PF_ bits */
	/* As the reader's pid namespace numbers them. */
	unsigned int tid, tgid;
	unsigned int state, exit_state;
	int prio, static_prio;
	unsigned int policy, rt_priority;
	unsigned int cpu, nr_threads;
	unsigned int is_ext, padding;
	unsigned long long cgroup_id;
	unsigned long long start_boottime_ns;
	long long boottime_offset_ns; /* of the reader's time namespace */
	unsigned long long utime_ns, stime_ns, prev_utime_ns, prev_stime_ns;
	unsigned long long sum_exec_runtime_ns;
	unsigned long long min_flt, maj_flt, nvcsw, nivcsw;
	unsigned long long run_delay_ns, pcount, max_run_delay_ns, min_run_delay_ns;
	unsigned long long nr_migrations, slice_ns;
	unsigned long long core_forceidle_sum;
	unsigned long long hiwater_rss_pages, hiwater_vm_pages;
	unsigned long long stats[CTPROF_BPF_N_STATS];
	unsigned long long io[CTPROF_BPF_N_IO];
	struct ctprof_bpf_delay delays[CTPROF_BPF_N_DELAYS];
	unsigned long long cpus[CTPROF_BPF_RECORD_CPU_WORDS];
	char leader_comm[CTPROF_BPF_RECORD_COMM];
	char name[CTPROF_BPF_RECORD_NAME];
};

_Static_assert(sizeof(struct ctprof_bpf_record) % 8 == 0, "a record is whole words");

#endif
