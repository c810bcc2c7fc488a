/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * As much of a task as the profiler reads. libbpf finds members by name; a name behind ___ is
 * another form of the same structure, in kernels before or after. Types must be of the kernel's
 * kind, not only of its size.
 */
#ifndef KTSTR_BPF_KERNEL_TASK_H
#define KTSTR_BPF_KERNEL_TASK_H

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef signed int __s32;
typedef signed long long __s64;
/* bpf_helper_defs.h wants the names; nothing here is in network order. */
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;
#define NULL ((void *)0)

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#define PF_KTHREAD   0x00200000
#define PF_WQ_WORKER 0x00000020

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct thread_info {
	__u32 cpu;
};

struct sched_entity {
	__u64 sum_exec_runtime;
	__u64 slice;
	__u64 nr_migrations;
};

enum scx_ent_flags {
	SCX_TASK_STATE_SHIFT = 8,
	SCX_TASK_STATE_MASK = 768,
	/* Here since 7.1, with the shift inside. */
	SCX_TASK_ENABLED___flag = 1024,
};

enum scx_task_state {
	SCX_TASK_ENABLED___state = 3,
};

struct sched_ext_entity {
	__u32 flags;
};

/* Some are signed in the kernel; the bits are the same. */
struct sched_statistics {
#define BPF_STAT(id, key) __u64 key;
#include "metric/bpf_rows.def"
	__u64 core_forceidle_sum;
};

struct sched_info {
	unsigned long pcount;
	unsigned long long run_delay, max_run_delay, min_run_delay;
};

struct prev_cputime {
	__u64 utime, stime;
};

struct cpumask {
	unsigned long bits[1];
};

struct task_io_accounting {
#define BPF_IO(id, key) __u64 key;
#include "metric/bpf_rows.def"
};

struct task_delay_info {
	__u64 blkio_delay, blkio_delay_max, blkio_delay_min;
	__u64 swapin_delay, swapin_delay_max, swapin_delay_min;
	__u64 freepages_delay, freepages_delay_max, freepages_delay_min;
	__u64 thrashing_delay, thrashing_delay_max, thrashing_delay_min;
	__u64 compact_delay, compact_delay_max, compact_delay_min;
	__u64 wpcopy_delay, wpcopy_delay_max, wpcopy_delay_min;
	__u64 irq_delay, irq_delay_max, irq_delay_min;
	__u32 blkio_count, swapin_count, freepages_count, thrashing_count, compact_count,
		wpcopy_count, irq_count;
};

struct percpu_counter {
	__s64 count;
};

struct mm_struct {
	unsigned long hiwater_rss, hiwater_vm, total_vm;
};

/* Since 6.2. */
struct mm_struct___percpu {
	struct percpu_counter rss_stat[4];
};

typedef struct {
	__s64 counter;
} atomic64_t;

struct mm_rss_stat {
	atomic64_t count[4];
};

struct mm_struct___plain {
	struct mm_rss_stat rss_stat;
};

/* Its real size: an array of these is walked. */
struct upid {
	int nr;
	void *ns;
};

struct pid {
	unsigned int level;
	struct upid numbers[1];
};

struct signal_struct {
	int nr_threads;
};

struct kernfs_node {
	__u64 id;
};

struct cgroup {
	struct kernfs_node *kn;
};

struct css_set {
	struct cgroup *dfl_cgrp;
};

struct timespec64 {
	__s64 tv_sec;
	long tv_nsec;
};

struct timens_offsets {
	struct timespec64 boottime;
};

struct time_namespace {
	struct timens_offsets offsets;
};

struct nsproxy {
	struct time_namespace *time_ns;
};

struct kthread {
	char *full_name;
};

struct task_struct {
	struct thread_info thread_info;
	unsigned int __state;
	int exit_state;
	unsigned int flags;
	int prio, static_prio;
	unsigned int rt_priority;
	unsigned int policy;
	struct sched_entity se;
	struct sched_ext_entity scx;
	struct sched_statistics stats;
	struct sched_info sched_info;
	struct cpumask cpus_mask;
	struct mm_struct *mm;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	void *worker_private;
	__u64 utime, stime;
	struct prev_cputime prev_cputime;
	unsigned long nvcsw, nivcsw;
	__u64 start_boottime;
	unsigned long min_flt, maj_flt;
	char comm[16];
	struct nsproxy *nsproxy;
	struct signal_struct *signal;
	struct task_io_accounting ioac;
	__u64 acct_rss_mem1;
	struct css_set *cgroups;
	struct task_delay_info *delays;
};

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

#pragma clang attribute pop

#endif
