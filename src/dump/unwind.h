/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From one frame of a kernel stack to its caller, by ORC; code of BPF keeps frame pointers. Where
 * neither is known the rest of the stack is searched for addresses of code, and what is found is
 * marked as guessed: it may be left over from earlier calls.
 *
 * Only words inside the given stacks are read; inside one of them the stack pointer must rise, and
 * a stack that was left is not entered again.
 */
#ifndef KTSTR_DUMP_UNWIND_H
#define KTSTR_DUMP_UNWIND_H

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
	DUMP_STACK_LIMIT,  /* more frames than are kept */
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

#endif
