/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the kernel stack of a task begins: what a switch saved, or the registers of its CPU. */
#ifndef KTSTR_DUMP_TASK_STACK_H
#define KTSTR_DUMP_TASK_STACK_H

#include "dump/unwind.h"

struct dump_stacks {
	struct kmem *kmem;
	const struct dump_request *request;
	struct dump_code code;
	uint64_t stack_bytes;  /* of one task */
	uint64_t fork_exit;    /* where a task begins that has never run; 0: unknown */
	VEC(uint64_t) current; /* the task of each CPU; 0: unknown */
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

/*
 * KMEM_UNREAD: the task cannot be read. BASE_ABSENT: it runs, and nobody told the registers of
 * its CPU. *ret_cpu is set unless it is asleep.
 */
struct error *dump_task_stack(struct dump_stacks *stacks, uint64_t task, struct dump_stack *ret,
			      enum dump_stack_state *ret_state, uint32_t *ret_cpu) MUST_CHECK;

#endif
