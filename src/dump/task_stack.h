/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the kernel stack of a task begins: what a switch saved, or the registers of its CPU. */
#ifndef KTSTR_DUMP_TASK_STACK_H
#define KTSTR_DUMP_TASK_STACK_H

#include "dump/unwind.h"

/*
 * Whom a CPU runs. In the middle of a switch these are two tasks: rq->curr changes first, then the
 * stack pointer, then current_task. 0: unknown.
 */
struct dump_cpu_tasks {
	uint64_t curr;	   /* rq->curr */
	uint64_t current;  /* the CPU's own current_task */
	uint64_t on_stack; /* the one of them whose stack the CPU uses */
};

struct dump_stacks {
	struct kmem *kmem;
	const struct dump_request *request;
	struct dump_code code;
	uint64_t stack_bytes; /* of one task */
	uint64_t fork_exit;   /* where a task begins that has never run; 0: unknown */
	VEC(struct dump_cpu_tasks) cpus;
};

struct error *dump_stacks_init(struct dump_stacks *stacks, struct kmem *kmem,
			       const struct dump_request *request) MUST_CHECK;
void dump_stacks_deinit(struct dump_stacks *stacks);
#define _cleanup_dump_stacks_ _cleanup_(dump_stacks_deinit)

enum dump_stack_state {
	DUMP_STACK_ASLEEP, /* off its CPU */
	DUMP_STACK_ON_CPU, /* from registers */
	DUMP_STACK_IN_USER /* on a CPU, outside the kernel: there are no frames */
};

enum dump_switching {
	DUMP_SWITCHING_NONE,
	DUMP_SWITCHING_IN, /* the CPU is switching to it */
	DUMP_SWITCHING_OUT /* the CPU is switching from it to another task */
};

struct dump_stack_place {
	enum dump_stack_state state;
	enum dump_switching switching;
	uint32_t cpu; /* unless it is asleep and not switching */
};

/*
 * KMEM_UNREAD: the task cannot be read. BASE_ABSENT: it runs, and the registers of its CPU are
 * unknown. Registers belong to the task whose stack the CPU uses. The other task of a switch is
 * asleep: what it saved is valid.
 */
struct error *dump_task_stack(struct dump_stacks *stacks, uint64_t task, struct dump_stack *ret,
			      struct dump_stack_place *ret_place) MUST_CHECK;

#endif
