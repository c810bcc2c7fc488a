/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From one frame of a kernel stack to its caller, by ORC; code of BPF keeps frame pointers. Where
 * neither is known the rest of the stack is searched for addresses of code, and what is found is
 * marked as guessed: it may be left over from earlier calls.
 *
 * Only words inside the given stacks are read; inside one of them the stack pointer must rise, and
 * a stack that was left is not entered again.
 */
#ifndef KTSTR_DUMP_STACK_H
#define KTSTR_DUMP_STACK_H

#include "dump/code.h"
#include "dump/dump.h"

struct dump_stack_range {
	uint64_t start, end;
};

struct dump_frame {
	uint64_t ip, sp;
	bool is_return; /* ip was left by a call, else it is where the code stopped */
	bool guessed;
};

enum dump_stack_end {
	DUMP_STACK_WHOLE,  /* to the outermost frame */
	DUMP_LIMIT_STACK,  /* more frames than are kept */
	DUMP_STACK_BROKEN, /* `reason` tells */
};

struct dump_stack {
	size_t n;
	struct dump_frame frames[DUMP_LIMIT_FRAMES]; /* innermost first */
	enum dump_stack_end end;
	char reason[160];
};

struct dump_unwind {
	struct dump_code *code;
	struct dump_stack_range stacks[DUMP_LIMIT_STACK_RANGES];
	size_t n_stacks;
	/* Where to begin. */
	uint64_t ip, sp, bp;
	bool is_return;
	/* Where a task begins that has never run: no call left it there. 0: unknown. */
	uint64_t fork_exit;
	/* Of a CPU that runs; else its argument registers are unknown. May be NULL. */
	const struct physmap_registers *registers;
};

/* Empty or wrapping ranges, and those too large for a stack, are left out. */
void dump_unwind_add_stack(struct dump_unwind *unwind, uint64_t start, uint64_t end);
void dump_unwind(const struct dump_unwind *unwind, struct dump_stack *ret);
/* Every frame is a guess, for that reason. */
void dump_stack_distrust(struct dump_stack *stack, const char *reason);

/* Where the kernel stack of a task begins: what a switch saved, or the registers of its CPU. */
/*
 * What a CPU runs. In the middle of a switch these are two tasks: rq->curr changes first, then the
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
