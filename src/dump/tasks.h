/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Words for the numbers of a task. */
#ifndef KTSTR_DUMP_TASKS_H
#define KTSTR_DUMP_TASKS_H

#include "base/macros.h"
#include "dump/member.h"
#include "kmem/kmem.h"

/* The letter of /proc/PID/stat for task_struct.__state and .exit_state. */
char dump_task_state(uint64_t state, uint64_t exit_state);
/* "other", "fifo", …; NULL for a number that has no name. */
const char *dump_task_policy(uint64_t policy);

/* A task as the scheduler sees it: its class, where it may run, whether and how long it waits. */
enum { DUMP_SCHED_CLASSES = 6 };

/* What is the same for all tasks. */
struct dump_scheduler {
	struct kmem *kmem;
	uint64_t classes[DUMP_SCHED_CLASSES]; /* addresses; 0: this kernel has no such class */
	uint64_t runqueues;		      /* the per-CPU symbol; 0: unknown */
	struct dump_member jiffies;
};
void dump_scheduler_init(struct dump_scheduler *scheduler, struct kmem *kmem);

struct dump_task_sched {
	struct dump_member on_rq;
	enum kmem_status class_status;
	const char *class; /* "fair", "rt", …; static */
	enum kmem_status cpus_status;
	struct strbuf cpus; /* allowed, as a list: "0-3,8" */
	/* Since it was queued; KMEM_READ_UNKNOWN: it does not wait, or the kernel does not say. */
	struct dump_member waiting_ns;
	/* The same as sched_ext counts for its watchdog, only for tasks of its class. */
	struct dump_member runnable_jiffies;
};
void dump_task_sched_read(const struct dump_scheduler *scheduler, uint64_t task,
			  struct dump_task_sched *ret);
void dump_task_sched_deinit(struct dump_task_sched *sched);

/*
 * The path of a task in the tree of control groups (version 2), "/" for the root. Nothing is
 * appended when it cannot be had; KMEM_READ_TORN: it has more parents than any.
 */
enum kmem_status dump_cgroup_path(struct kmem *kmem, uint64_t task, struct strbuf *into) MUST_CHECK;
/* The same of a struct cgroup. */
enum kmem_status dump_cgroup_path_of(struct kmem *kmem, uint64_t cgroup,
				     struct strbuf *into) MUST_CHECK;

#endif
