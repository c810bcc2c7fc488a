/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What an allocator has handed out, found as the scheduler itself finds it: a tree of three
 * levels, 512 ways each, in an arena.
 *
 *	root ─> desc ─> chunk ─┬─> desc ─> chunk ─┬─> desc ─> chunk ─┬─> data { tid, payload }
 *	                       └ …                └ …                └ …
 *
 * A bit in a desc of the last level means that the slot is in use. Further up a bit means that the
 * whole subtree is *full*, so there every child is visited that is not null.
 *
 * What a change in progress leaves behind is not an error: a bit whose slot is still null (being
 * allocated), a slot of zeros whose bit is still set (being freed). What cannot be right ends that
 * subtree alone, and is counted by reason.
 */
#ifndef KTSTR_DUMP_SDT_TREE_H
#define KTSTR_DUMP_SDT_TREE_H

#include "btf/value.h"
#include "dump/arena_map.h"
#include "dump/sdt_layout.h"

/* Why a subtree or an element was left out. A chunk counts once, however much of it is missing. */
#define SDT_SKIPS(X)                                                 \
	X(SDT_SKIP_DESC, "descriptors that cannot be read")          \
	X(SDT_SKIP_NR_FREE, "descriptors with more free than slots") \
	X(SDT_SKIP_NO_CHUNK, "descriptors without a chunk")          \
	X(SDT_SKIP_CHUNK, "chunks that cannot be read")              \
	X(SDT_SKIP_TWICE, "descriptors that were seen before")       \
	X(SDT_SKIP_DATA, "elements that cannot be read")
#define SDT_SKIP_ENUM_(id, text) id,
enum sdt_skip { SDT_SKIPS(SDT_SKIP_ENUM_) SDT_N_SKIPS };
const char *sdt_skip_text(enum sdt_skip skip);

struct sdt_entry {
	int32_t idx;	    /* which slot; 0 as well while it is being freed */
	int32_t genn;	    /* grows each time the slot is handed out again */
	uint64_t user_addr; /* the pointer, as the arena's pages have it */
	struct value_block payload;
	bool is_zeroed; /* nothing but 0 in the payload */
};

struct sdt_walk {
	uint64_t wanted;  /* entries to show; 0: all. Set it before the walk. */
	uint64_t n_steps; /* goes on from there: the next allocator has what is left */

	uint64_t elem_size;
	uint64_t payload_size; /* 0 when elem_size cannot be */
	bool is_elem_size_bad; /* torn or never set: nothing was walked */
	uint64_t n_shown, n;   /* given to the callback, found */
	uint64_t n_in_flight, n_zeroed;
	uint64_t skipped[SDT_N_SKIPS];
	bool is_full;	  /* set by the callback: it has no room for more */
	bool is_given_up; /* more steps than any scheduler needs */
};

uint64_t sdt_n_skipped(const struct sdt_walk *walk);

typedef void (*sdt_entry_fn)(void *context, const struct sdt_entry *entry);

/* What stands in the image of a struct scx_allocator; false when it is too short. */
bool sdt_read_allocator(const struct sdt_layout *layout, struct bytes image, struct sdt_walk *walk,
			uint64_t *ret_root) MUST_CHECK;
/*
 * Every live entry, in the order of the tree, up to `wanted`; the others are counted. The walk
 * has been through sdt_read_allocator(). What an entry refers to lives until fn returns.
 */
void sdt_walk_tree(struct kmem_space *space, const struct arena *arena,
		   const struct sdt_layout *layout, uint64_t root, struct sdt_walk *walk,
		   sdt_entry_fn fn, void *context);

#endif
