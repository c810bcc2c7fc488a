/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where things are in the allocator of per-task memory that schedulers link in (sdt_alloc of the
 * scx project), from the types of the program that uses it:
 *
 *	scx_allocator { sdt_pool pool; sdt_desc *root; }
 *	sdt_pool      { void *slab; u64 elem_size; u64 max_elems; u64 idx; }
 *	sdt_desc      { u64 allocated[8]; u64 nr_free; sdt_chunk *chunk; }
 *	sdt_chunk     { union { sdt_desc *descs[512]; sdt_data *data[512]; } }
 *	sdt_data      { union sdt_id { s32 idx; s32 genn; } tid; u64 payload[]; }
 */
#ifndef KTSTR_DUMP_SDT_H
#define KTSTR_DUMP_SDT_H

#include "btf/btf.h"
#include "btf/path.h"
#include "btf/value.h"
#include "dump/globals.h"
#include "dump/values.h"

enum {
	DUMP_SDT_LEVELS = 3,
	DUMP_SDT_CHUNK_ENTRIES = 512,
	DUMP_SDT_BITMAP_WORDS = DUMP_SDT_CHUNK_ENTRIES / 64,
	DUMP_SDT_ID_BYTES = 8,
	/* What a pool can hand out: a header and a word; all within a page. */
	DUMP_SDT_MIN_ELEMENT = 16,
	DUMP_SDT_MAX_ELEMENT = 4096,
};

struct dump_sdt_layout {
	uint64_t allocator_pool, allocator_root, allocator_size;
	uint64_t pool_elem_size;
	uint64_t desc_allocated, desc_nr_free, desc_chunk;
	uint64_t chunk_union;
	uint64_t data_header_size;
};

/*
 * Programs that hold only pointers to a struct have nothing but its declaration. BTF_NOT_FOUND:
 * the allocator is not part of the program; BTF_FORWARD_ONLY: a body is missing without which
 * nothing can be found. sdt_chunk may be without a body (its arrays begin at 0), and so may
 * sdt_data (its header has 8 bytes). A member of another width is BTF_NO_MEMBER.
 */
struct error *dump_sdt_layout_of(const struct btf *btf, struct dump_sdt_layout *ret) MUST_CHECK;

/*
 * Which struct an allocator's elements hold: nothing in its memory says so, but its size does,
 * and schedulers name such structs alike. It stays a guess, and is called one. A wrong type would
 * show nonsense under fine names, so without a clear answer there is none, and bytes are shown.
 */
struct dump_sdt_payload {
	uint32_t type;	   /* 0: unknown */
	const char *guess; /* what it was guessed by: "size", "size and name"; NULL: unknown */
	char reason[64];   /* why it is unknown, else "" */
};

/*
 * The one named struct of that size; of several the one called task_ctx, else the only one whose
 * name ends with _arena_ctx, _task_ctx or _ctx, in this order.
 */
struct dump_sdt_payload dump_sdt_payload_choose(const struct btf *btf, uint64_t size);

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
/* Why a subtree or an element was left out. A chunk counts once, however much of it is missing. */
#define DUMP_SDT_SKIPS(X)                                                 \
	X(DUMP_SDT_SKIP_DESC, "descriptors that cannot be read")          \
	X(DUMP_SDT_SKIP_NR_FREE, "descriptors with more free than slots") \
	X(DUMP_SDT_SKIP_NO_CHUNK, "descriptors without a chunk")          \
	X(DUMP_SDT_SKIP_CHUNK, "chunks that cannot be read")              \
	X(DUMP_SDT_SKIP_TWICE, "descriptors that were seen before")       \
	X(DUMP_SDT_SKIP_DATA, "elements that cannot be read")
#define DUMP_SDT_SKIP_ENUM_(id, text) id,
enum dump_sdt_skip { DUMP_SDT_SKIPS(DUMP_SDT_SKIP_ENUM_) DUMP_SDT_N_SKIPS };
const char *dump_sdt_skip_name(enum dump_sdt_skip skip);

struct dump_sdt_entry {
	int32_t idx;	    /* which slot; 0 as well while it is being freed */
	int32_t genn;	    /* grows each time the slot is handed out again */
	uint64_t user_addr; /* the pointer, as the arena's pages have it */
	struct btf_value_block payload;
	bool is_zeroed; /* nothing but 0 in the payload */
};

struct dump_sdt_walk {
	uint64_t wanted;  /* entries to show; 0: all. Set it before the walk. */
	uint64_t n_steps; /* goes on from there: the next allocator has what is left */

	uint64_t elem_size;
	uint64_t payload_size; /* 0 when elem_size cannot be */
	bool is_elem_size_bad; /* torn or never set: nothing was walked */
	uint64_t n_shown, n;   /* given to the callback, found */
	uint64_t n_in_flight, n_zeroed;
	uint64_t skipped[DUMP_SDT_N_SKIPS];
	bool is_full;	  /* set by the callback: it has no room for more */
	bool is_given_up; /* more steps than any scheduler needs */
};

uint64_t dump_sdt_n_skipped(const struct dump_sdt_walk *walk);

typedef void (*dump_sdt_entry_fn)(void *context, const struct dump_sdt_entry *entry);

/* What stands in the image of a struct scx_allocator; false when it is too short. */
bool dump_sdt_read_allocator(const struct dump_sdt_layout *layout, struct bytes image,
			     struct dump_sdt_walk *walk, uint64_t *ret_root) MUST_CHECK;
/*
 * Every live entry, in the order of the tree, up to `wanted`; the others are counted. The walk
 * has been through dump_sdt_read_allocator(). What an entry refers to lives until fn returns.
 */
void dump_sdt_walk_tree(struct kmem_space *space, const struct dump_arena *arena,
			const struct dump_sdt_layout *layout, uint64_t root,
			struct dump_sdt_walk *walk, dump_sdt_entry_fn fn, void *context);

/*
 * One allocator, in text
 *
 *	sdt_alloc NAME (elem_size=24, btf_type_id=42, a guess by size): 1 live
 *	  idx=7 genn=1 user_addr=0x7f1200001000 payload=task_ctx{pid=77}
 *
 * or as an object with allocator_name, entries [{idx, genn, user_addr, payload}] (absent when
 * empty), truncated (absent when false), skipped_subtrees, elem_size, payload_btf_type_id,
 * payload_type_guessed_by and payload_type_reason (only one of them is there); "total" beside
 * truncated, "skipped" by reason when there was any, "in_flight" and "zeroed" elements when there
 * are, "not_walked" when nothing could be.
 */
struct dump_sdt_allocator {
	const char *name;
	const struct btf *btf;
	const struct dump_sdt_layout *layout;
	const struct dump_arena *arena; /* NULL: not known, nothing is walked */
	struct bytes image;
	const char *unavailable; /* NULL: it can be walked */
	uint64_t *n_steps;	 /* of all allocators together */
};

void dump_sdt_show(struct dump_values *values, const struct dump_sdt_allocator *allocator,
		   uint64_t max_entries, struct dump_sink *sink);

#endif
