/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Typed values out of the guest's memory, as lines or as JSON. Bytes that cannot be read are holes
 * with a reason. All trees, whatever view they are part of, see the same memory: pointers of a BPF
 * program into its arena are followed as far as the budget goes, pointers to tasks, control groups
 * and masks of CPUs have short forms, those into the kernel's image and to functions the name of
 * what is there.
 */
#ifndef KTSTR_DUMP_VALUES_H
#define KTSTR_DUMP_VALUES_H

#include "btf/value.h"
#include "dump/code.h"
#include "dump/globals.h"

/* What the trees of one view share. Arenas and names of code are looked for when first asked. */
struct dump_values {
	struct kmem *kmem;
	const struct dump_globals_scene *scene; /* who made this may have it already */
	uint32_t max_nodes;			/* of one tree; 0: the usual */
	struct dump_globals_scene own_scene;
	struct dump_code code;
	bool has_code;
	struct strbuf symbol;
	uint64_t last_map, last_arena; /* the arena of the map asked for last */
};
void dump_values_deinit(struct dump_values *values);
#define _cleanup_dump_values_ _cleanup_(dump_values_deinit)

/* Whose pointers they are. All of it 0: the kernel's own, which lead into no arena. */
struct dump_owner {
	uint64_t map;			/* address of the bpf_map that the value is of */
	const struct dump_arena *arena; /* when it is known; else that of the map's programs */
};

/*
 * BASE_LIMIT past DUMP_LIMIT_VALUE_BYTES. A type of 0 shows bytes. The address is the kernel's, or
 * that of a byte in the owner's arena.
 */
struct error *dump_value_read(struct dump_values *values, struct dump_owner owner,
			      const struct btf *btf, uint32_t type, uint64_t address,
			      uint64_t bytes, struct btf_value_tree **ret) MUST_CHECK;
/* The same of bytes that were read before: an element of an arena, a number of an expression. */
struct btf_value_tree *dump_value_of(struct dump_values *values, struct dump_owner owner,
				     const struct btf *btf, uint32_t type,
				     const struct btf_value_block *block) MUST_CHECK;

/*
 * Page by page: one that is missing does not take the others with it, its bytes are 0. With an
 * arena the address is that of a byte in it.
 */
struct dump_holes {
	struct btf_value_hole *at;
	size_t n, capacity;
};
void dump_read_with_holes(struct kmem_space *space, const struct dump_arena *arena,
			  uint64_t address, uint8_t *to, uint64_t bytes, struct dump_holes *ret);

/* A member of JSON, or "label = value" and what else it needs of lines. */
void dump_value_show(struct dump_sink *sink, const char *key, const char *label,
		     const struct btf_value_tree *tree, const struct btf_value_node *node);

#endif
