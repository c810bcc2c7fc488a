/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every bound of this room. */
#ifndef KTSTR_DUMP_LIMITS_H
#define KTSTR_DUMP_LIMITS_H

enum {
	/* Lines of one report, unless the caller says. JSON has a bound of its own. */
	DUMP_DEFAULT_LINES = 4000,
	/*
	 * Bytes of JSON, all views together: a request for all entries of a hostile guest gets no
	 * more than that. A view of a report gets half of what is left.
	 */
	DUMP_LIMIT_JSON_BYTES = 128 << 20,
	/* Entries of each list, unless the caller says. */
	DUMP_DEFAULT_ENTRIES = 4096,
	/* Bytes of one line of text. */
	DUMP_LIMIT_LINE_BYTES = 4096,

	/* Of the printk ring. */
	DUMP_LIMIT_LOG_MESSAGE = 1024 * 64,
	/* One value of a BPF map, and all values of all maps that are shown. */
	DUMP_LIMIT_VALUE_BYTES = 16 << 20,
	/* What is read behind the pointers of one value, into an arena. */
	DUMP_LIMIT_FOLLOWED_BYTES = 1 << 14,
	DUMP_LIMIT_MAP_BYTES = 40 << 20,
	/* Maps of a scheduler that are shown with their contents. */
	DUMP_LIMIT_SCHEDULER_MAPS = 256,
	/* Parents of a control group. */
	DUMP_LIMIT_CGROUP_DEPTH = 64,
	/* Of an expression: parts with the one that is none, operators inside each other, stars. */
	DUMP_LIMIT_EXPR_NODES = 128,
	DUMP_LIMIT_EXPR_DEPTH = 32,
	DUMP_LIMIT_EXPR_STARS = 8,
	/* Of a text behind a char pointer. */
	DUMP_LIMIT_EXPR_TEXT_BYTES = 256,

	/* Arenas and maps of global variables; maps that one program uses (MAX_USED_MAPS). */
	DUMP_LIMIT_GLOBALS = 4096,
	DUMP_LIMIT_USED_MAPS = 64,
	/* Functions of one program (BPF_MAX_SUBPROGS is 256). */
	DUMP_LIMIT_FUNCTIONS = 1024,
	/* Of all programs: maps that they use, and variables that are looked at. */
	DUMP_LIMIT_JOINS = 1 << 16,
	DUMP_LIMIT_VARIABLES = 1 << 20,
	/* Types of programs that are looked into for variables. */
	DUMP_LIMIT_PROGRAM_TYPES = 512,
	/* Slots looked at in all allocators together: a million tasks and what leads to them. */
	DUMP_LIMIT_SDT_STEPS = 1 << 21,
	DUMP_LIMIT_ALLOCATORS = 256,
	/* A struct scx_allocator or scx_static; nodes of what one element of an allocator shows. */
	DUMP_LIMIT_ALLOCATOR_BYTES = 4096,
	DUMP_LIMIT_PAYLOAD_NODES = 1024,
	/* Stacks. A kernel of today has under a million ORC entries; stacks have 16 or 32 KiB. */
	DUMP_LIMIT_ORC_ENTRIES = 1 << 24,
	DUMP_LIMIT_FRAMES = 128,
	DUMP_LIMIT_STACK_BYTES = 1 << 18,
	DUMP_LIMIT_STACK_RANGES = 4,
	DUMP_LIMIT_CODE_RANGES = 1 << 16,
	/* Of all modules that are on stacks, with names of up to half a kilobyte. */
	DUMP_LIMIT_MODULE_SYMBOLS = 1 << 18,
};

#endif
