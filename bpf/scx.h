/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * As much of the kernel as our schedulers touch, and no more: libbpf finds members of
 * sched_ext_ops and of the kernel's structures by name, so one object file serves every
 * kernel that has the names. A member is added here when a scheduler uses it.
 *
 * Types must be of the kernel's kind, not only of its size: an enum declared as int does
 * not relocate.
 */
#ifndef KTSTR_BPF_SCX_H
#define KTSTR_BPF_SCX_H

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
typedef _Bool bool;
#define NULL ((void *)0)

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>

#define SCX_DSQ_LOCAL ((1ULL << 63) | 2) /* the queue of the CPU at hand, since 6.12 */
#define PF_KTHREAD    0x00200000

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct sched_ext_entity {
	__u64 slice;
};

struct task_struct {
	unsigned int flags;
	int pid;
	int tgid;
	struct sched_ext_entity scx;
};

enum scx_exit_kind {
	SCX_EXIT_NONE,
};

struct scx_exit_info {
	enum scx_exit_kind kind;
	__s64 exit_code;
	const char *reason;
	char *msg;
	char *dump;
};

#pragma clang attribute pop

struct bpf_spin_lock {
	__u32 val;
};

struct scx_init_task_args;
struct scx_exit_task_args;

struct sched_ext_ops {
	__s32 (*select_cpu)(struct task_struct *p, __s32 prev_cpu, __u64 wake_flags);
	void (*enqueue)(struct task_struct *p, __u64 enq_flags);
	void (*dispatch)(__s32 cpu, struct task_struct *prev);
	__s32 (*init_task)(struct task_struct *p, struct scx_init_task_args *args);
	void (*exit_task)(struct task_struct *p, struct scx_exit_task_args *args);
	__s32 (*init)(void);
	void (*exit)(struct scx_exit_info *info);
	__u64 flags;
	__u32 timeout_ms;
	char name[128];
};

/* Later kernels (6.19 for insert, 7.1 for move) have newer forms; these stay beside them. */
__s32 scx_bpf_create_dsq(__u64 dsq_id, __s32 node) __ksym;
__s32 scx_bpf_select_cpu_dfl(struct task_struct *p, __s32 prev_cpu, __u64 wake_flags,
			     bool *is_idle) __ksym;
void scx_bpf_dsq_insert(struct task_struct *p, __u64 dsq_id, __u64 slice, __u64 enq_flags) __ksym;
bool scx_bpf_dsq_move_to_local(__u64 dsq_id) __ksym;
void scx_bpf_error_bstr(char *fmt, unsigned long long *data, __u32 data__sz) __ksym;

#endif
