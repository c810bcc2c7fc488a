// SPDX-License-Identifier: GPL-2.0-only
/*
 * One record for each thread that the reader's pid namespace has, in the order of their numbers.
 * Values are the kernel's own; nothing is computed here that user space could compute. What a
 * kernel lacks is left out by libbpf before the verifier sees it.
 */
#include "kernel_task.h"

#include "ctprof/bpf/record.h"

enum { MM_FILEPAGES, MM_ANONPAGES, MM_SWAPENTS, MM_SHMEMPAGES };

/* Too large for the stack. One reader at a time has this object. */
static struct ctprof_bpf_record record;

#define HAS(object, member) bpf_core_field_exists((object)->member)

/*
 * The number that the reader's own pid namespace has for it. The verifier lets a program follow a
 * pointer of a known type, but none to a place in an array that is known only now.
 */
static __always_inline void read_number(struct task_struct *task, unsigned int level, __u32 *into)
{
	struct pid *pid;

	if (level == 0) {
		*into = task->thread_pid->numbers[0].nr;
		return;
	}
	pid = BPF_CORE_READ(task, thread_pid);
	bpf_probe_read_kernel(into, sizeof(*into), &(&pid->numbers[0] + (level & 31))->nr);
}

static __always_inline void read_identity(struct task_struct *task, struct ctprof_bpf_record *r)
{
	struct task_struct *reader = bpf_get_current_task_btf();
	unsigned int level = reader->thread_pid->level;
	struct task_struct *leader = task->group_leader;

	read_number(task, level, &r->tid);
	read_number(leader, level, &r->tgid);
	r->flags = task->flags;
	r->start_boottime_ns = task->start_boottime;
	if (HAS(reader->nsproxy, time_ns)) {
		struct timespec64 *offset = &reader->nsproxy->time_ns->offsets.boottime;

		r->boottime_offset_ns = offset->tv_sec * 1000000000LL + offset->tv_nsec;
	}
	bpf_probe_read_kernel(r->leader_comm, sizeof(r->leader_comm), leader->comm);
	__builtin_memset(r->name, 0, sizeof(r->name));
	if (task->flags & PF_KTHREAD && bpf_core_type_exists(struct kthread) &&
	    HAS(task, worker_private) && HAS((struct kthread *)0, full_name)) {
		struct kthread *kthread = task->worker_private;
		char *full = kthread ? BPF_CORE_READ(kthread, full_name) : NULL;

		r->has |= CTPROF_BPF_HAS_FULL_NAME;
		if (full && bpf_probe_read_kernel_str(r->name, sizeof(r->name), full) > 0)
			return;
	}
	bpf_probe_read_kernel(r->name, sizeof(task->comm), task->comm);
}

static __always_inline void read_stat(struct task_struct *task, struct ctprof_bpf_record *r)
{
	r->state = task->__state;
	r->exit_state = task->exit_state;
	r->prio = task->prio;
	r->static_prio = task->static_prio;
	r->policy = task->policy;
	r->rt_priority = task->rt_priority;
	r->nr_threads = task->signal->nr_threads;
	if (HAS(task, thread_info.cpu)) {
		r->has |= CTPROF_BPF_HAS_CPU;
		r->cpu = task->thread_info.cpu;
	}
	r->utime_ns = task->utime;
	r->stime_ns = task->stime;
	if (HAS(task, prev_cputime)) {
		r->has |= CTPROF_BPF_HAS_PREV_CPUTIME;
		r->prev_utime_ns = task->prev_cputime.utime;
		r->prev_stime_ns = task->prev_cputime.stime;
	}
	r->sum_exec_runtime_ns = task->se.sum_exec_runtime;
	r->min_flt = task->min_flt;
	r->maj_flt = task->maj_flt;
	r->nvcsw = task->nvcsw;
	r->nivcsw = task->nivcsw;
}

static __always_inline void read_sched(struct task_struct *task, struct ctprof_bpf_record *r)
{
	struct sched_ext_entity *scx = &task->scx;

	r->nr_migrations = task->se.nr_migrations;
	if (HAS(task, se.slice)) {
		r->has |= CTPROF_BPF_HAS_SLICE;
		r->slice_ns = task->se.slice;
	}
	if (HAS(task, sched_info.pcount)) {
		r->has |= CTPROF_BPF_HAS_SCHED_INFO;
		r->run_delay_ns = task->sched_info.run_delay;
		r->pcount = task->sched_info.pcount;
	}
	if (HAS(task, sched_info.max_run_delay)) {
		r->has |= CTPROF_BPF_HAS_RUN_DELAY_EXTREMES;
		r->max_run_delay_ns = task->sched_info.max_run_delay;
		r->min_run_delay_ns = task->sched_info.min_run_delay;
	}
	if (HAS(task, stats.wait_sum)) {
		r->has |= CTPROF_BPF_HAS_STATS;
#define BPF_STAT(id, key) r->stats[CTPROF_BPF_STAT_##key] = task->stats.key;
#include "metric/bpf_rows.def"
	}
	if (HAS(task, stats.core_forceidle_sum)) {
		r->has |= CTPROF_BPF_HAS_CORE_FORCEIDLE;
		r->core_forceidle_sum = task->stats.core_forceidle_sum;
	}
	/* Enabled is a task whose class is sched_ext's; the class itself has no name in BTF. */
	if (!HAS(task, scx.flags))
		return;
	if (bpf_core_enum_value_exists(enum scx_task_state, SCX_TASK_ENABLED___state)) {
		__u32 state = scx->flags &
			      bpf_core_enum_value(enum scx_ent_flags, SCX_TASK_STATE_MASK);

		r->has |= CTPROF_BPF_HAS_EXT;
		r->is_ext = state >>
				    bpf_core_enum_value(enum scx_ent_flags, SCX_TASK_STATE_SHIFT) ==
			    bpf_core_enum_value(enum scx_task_state, SCX_TASK_ENABLED___state);
	} else if (bpf_core_enum_value_exists(enum scx_ent_flags, SCX_TASK_ENABLED___flag)) {
		__u32 state = scx->flags &
			      bpf_core_enum_value(enum scx_ent_flags, SCX_TASK_STATE_MASK);

		r->has |= CTPROF_BPF_HAS_EXT;
		r->is_ext = state ==
			    bpf_core_enum_value(enum scx_ent_flags, SCX_TASK_ENABLED___flag);
	}
}

static __always_inline void read_delays(struct task_struct *task, struct ctprof_bpf_record *r)
{
	struct task_delay_info *delays;

	if (!bpf_core_type_exists(struct task_delay_info) || !HAS(task, delays))
		return;
	r->has |= CTPROF_BPF_HAS_DELAYS;
	delays = task->delays;
	if (!delays)
		r->has |= CTPROF_BPF_LACKS_DELAYS; /* and the rest reads as 0 */
	if (HAS(delays, blkio_delay_max))
		r->has |= CTPROF_BPF_HAS_DELAY_EXTREMES;
#define DELAY(kind)                                                                          \
	if (HAS(delays, kind##_delay)) {                                                     \
		r->has |= 1 << (CTPROF_BPF_HAS_DELAY_KINDS_SHIFT + CTPROF_BPF_DELAY_##kind); \
		r->delays[CTPROF_BPF_DELAY_##kind].count = delays->kind##_count;             \
		r->delays[CTPROF_BPF_DELAY_##kind].total_ns = delays->kind##_delay;          \
	}                                                                                    \
	if (HAS(delays, kind##_delay_max)) {                                                 \
		r->delays[CTPROF_BPF_DELAY_##kind].max_ns = delays->kind##_delay_max;        \
		r->delays[CTPROF_BPF_DELAY_##kind].min_ns = delays->kind##_delay_min;        \
	}
	CTPROF_BPF_RECORD_DELAYS(DELAY)
#undef DELAY
}

static __always_inline __u64 at_least_0(__s64 value)
{
	return value < 0 ? 0 : value;
}

/* Until 6.1; its verifier follows no pointer into an array of atomic numbers. */
static __always_inline __u64 plain_rss(struct mm_struct___plain *mm)
{
	__s64 counts[MM_SHMEMPAGES + 1] = { 0 };

	bpf_probe_read_kernel(counts, sizeof(counts), &mm->rss_stat.count);
	return at_least_0(counts[MM_FILEPAGES]) + at_least_0(counts[MM_ANONPAGES]) +
	       at_least_0(counts[MM_SHMEMPAGES]);
}

/* As taskstats has it: the mark, or what is more right now. */
static __always_inline void read_watermarks(struct task_struct *task, struct ctprof_bpf_record *r)
{
	struct mm_struct *mm = task->mm;
	struct mm_struct___percpu *counters = (void *)mm;
	struct mm_struct___plain *plain = (void *)mm;
	__u64 rss;

	r->hiwater_rss_pages = 0;
	r->hiwater_vm_pages = 0;
	if (!HAS(task, acct_rss_mem1))
		return;
	if (HAS(counters, rss_stat[0].count))
		rss = at_least_0(counters->rss_stat[MM_FILEPAGES].count) +
		      at_least_0(counters->rss_stat[MM_ANONPAGES].count) +
		      at_least_0(counters->rss_stat[MM_SHMEMPAGES].count);
	else if (HAS(plain, rss_stat.count))
		rss = plain_rss(plain);
	else
		return;
	r->has |= CTPROF_BPF_HAS_WATERMARKS;
	/* A kernel thread may have borrowed somebody's memory. */
	if (!mm || task->flags & PF_KTHREAD)
		return;
	r->hiwater_rss_pages = mm->hiwater_rss > rss ? mm->hiwater_rss : rss;
	r->hiwater_vm_pages = mm->hiwater_vm > mm->total_vm ? mm->hiwater_vm : mm->total_vm;
}

static __always_inline void read_io(struct task_struct *task, struct ctprof_bpf_record *r)
{
	if (!HAS(task, ioac.rchar) || !HAS(task, ioac.read_bytes))
		return;
	r->has |= CTPROF_BPF_HAS_IO;
#define BPF_IO(id, key) r->io[CTPROF_BPF_IO_##key] = task->ioac.key;
#include "metric/bpf_rows.def"
}

static __always_inline void read_places(struct task_struct *task, struct ctprof_bpf_record *r)
{
	__u32 bytes = bpf_core_field_size(task->cpus_mask);

	if (bytes > sizeof(r->cpus))
		bytes = sizeof(r->cpus);
	bpf_probe_read_kernel(r->cpus, bytes, &task->cpus_mask);
	if (bpf_core_type_exists(struct css_set) && HAS(task, cgroups)) {
		r->has |= CTPROF_BPF_HAS_CGROUP;
		r->cgroup_id = task->cgroups->dfl_cgrp->kn->id;
	}
}

SEC("iter/task") int ctprof_task(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;

	if (!task)
		return 0;
	record.has = 0;
	read_identity(task, &record);
	read_stat(task, &record);
	read_sched(task, &record);
	read_delays(task, &record);
	read_watermarks(task, &record);
	read_io(task, &record);
	read_places(task, &record);
	bpf_seq_write(ctx->meta->seq, &record, sizeof(record));
	return 0;
}

char ctprof_license[] SEC("license") = "GPL";
