// SPDX-License-Identifier: LGPL-2.1-or-later
#include "dump/sdt.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "dump/limits.h"

struct tree {
	struct kmem_space *space;
	const struct dump_arena *arena;
	const struct dump_sdt_layout *layout;
	struct dump_sdt_walk *walk;
	dump_sdt_entry_fn fn;
	void *context;
	struct hash_index seen; /* descriptors that were visited: offsets in the arena */
};

struct desc {
	uint64_t allocated[DUMP_SDT_BITMAP_WORDS];
	uint64_t nr_free, chunk;
};

static const char *const skip_texts[] = {
#define SDT_SKIP_TEXT_(id, text) [id] = text,
	DUMP_SDT_SKIPS(SDT_SKIP_TEXT_)
};

const char *dump_sdt_skip_name(enum dump_sdt_skip skip)
{
	return skip_texts[skip];
}

uint64_t dump_sdt_n_skipped(const struct dump_sdt_walk *walk)
{
	uint64_t n = 0;

	for (size_t i = 0; i < DUMP_SDT_N_SKIPS; i++)
		n += walk->skipped[i];
	return n;
}

static bool read_word(struct tree *tree, uint64_t pointer, uint64_t *ret)
{
	uint8_t bytes[8];
	struct cursor c = cursor_over((struct bytes){ bytes, sizeof(bytes) });

	if (dump_arena_read(tree->space, tree->arena, pointer, bytes, sizeof(bytes)) !=
	    KMEM_READ_OK)
		return false;
	*ret = cursor_u64(&c);
	return true;
}

/* False: it was there already. */
static bool is_new(struct tree *tree, uint64_t pointer)
{
	uint32_t offset = (uint32_t)pointer, n;
	size_t at = 0;

	while (hash_index_next(&tree->seen, hash_u64(offset), &at, &n)) {
		if (n == offset)
			return false;
	}
	/* The last byte of the 4 GiB cannot be read as a descriptor. */
	if (offset != UINT32_MAX)
		hash_index_add(&tree->seen, hash_u64(offset), offset);
	return true;
}

static bool read_desc(struct tree *tree, uint64_t pointer, struct desc *ret)
{
	const struct dump_sdt_layout *layout = tree->layout;

	for (unsigned int i = 0; i < DUMP_SDT_BITMAP_WORDS; i++) {
		if (!read_word(tree, pointer + layout->desc_allocated + 8 * i, &ret->allocated[i]))
			return false;
	}
	return read_word(tree, pointer + layout->desc_nr_free, &ret->nr_free) &&
	       read_word(tree, pointer + layout->desc_chunk, &ret->chunk);
}

static bool all_zero(struct bytes bytes)
{
	for (size_t i = 0; i < bytes.n; i++) {
		if (bytes.at[i])
			return false;
	}
	return true;
}

static void see_data(struct tree *tree, uint64_t pointer)
{
	struct dump_sdt_walk *walk = tree->walk;
	uint8_t payload[DUMP_SDT_MAX_ELEMENT];
	struct dump_holes holes = { 0 };
	uint64_t at = pointer + tree->layout->data_header_size;
	/* Only the low half of the pointer counts: an arena lies within one 4 GiB range. */
	struct dump_sdt_entry entry = { .user_addr = (tree->arena->user_start &
						      ~(uint64_t)UINT32_MAX) |
						     (pointer & UINT32_MAX) };
	uint64_t tid;

	if (!read_word(tree, pointer, &tid)) {
		walk->skipped[DUMP_SDT_SKIP_DATA]++;
		return;
	}
	walk->n++;
	if ((walk->wanted && walk->n_shown >= walk->wanted) || walk->is_full)
		return;
	walk->n_shown++;
	entry.idx = (int32_t)(uint32_t)tid;
	entry.genn = (int32_t)(uint32_t)(tid >> 32);
	dump_read_with_holes(tree->space, tree->arena, at, payload, walk->payload_size, &holes);
	entry.payload = (struct btf_value_block){
		{ payload, walk->payload_size }, holes.at, holes.n, at
	};
	entry.is_zeroed = entry.payload.n_holes == 0 && all_zero(entry.payload.data);
	walk->n_zeroed += entry.is_zeroed;
	tree->fn(tree->context, &entry);
	vec_deinit(&holes);
}

static bool step(struct tree *tree)
{
	if (++tree->walk->n_steps > DUMP_LIMIT_SDT_STEPS)
		tree->walk->is_given_up = true;
	return !tree->walk->is_given_up;
}

static void see_slots(struct tree *tree, const struct desc *desc)
{
	bool is_whole = true;

	for (unsigned int i = 0; i < DUMP_SDT_CHUNK_ENTRIES; i++) {
		uint64_t at = desc->chunk + tree->layout->chunk_union + 8 * i, pointer;

		if (!(desc->allocated[i / 64] >> i % 64 & 1))
			continue;
		if (!step(tree))
			break;
		if (!read_word(tree, at, &pointer))
			is_whole = false;
		else if (pointer)
			see_data(tree, pointer);
		else
			tree->walk->n_in_flight++;
	}
	tree->walk->skipped[DUMP_SDT_SKIP_CHUNK] += !is_whole;
}

static void see_desc(struct tree *tree, uint64_t pointer, unsigned int level)
{
	uint64_t *skipped = tree->walk->skipped;
	bool is_whole = true;
	struct desc desc;

	if (!is_new(tree, pointer)) {
		skipped[DUMP_SDT_SKIP_TWICE]++;
		return;
	}
	if (!read_desc(tree, pointer, &desc)) {
		skipped[DUMP_SDT_SKIP_DESC]++;
		return;
	}
	if (desc.nr_free > DUMP_SDT_CHUNK_ENTRIES) {
		skipped[DUMP_SDT_SKIP_NR_FREE]++;
		return;
	}
	if (!desc.chunk) {
		skipped[DUMP_SDT_SKIP_NO_CHUNK]++;
		return;
	}
	if (level == DUMP_SDT_LEVELS - 1) {
		see_slots(tree, &desc);
		return;
	}
	for (unsigned int i = 0; i < DUMP_SDT_CHUNK_ENTRIES; i++) {
		uint64_t below;

		if (!step(tree))
			break;
		if (!read_word(tree, desc.chunk + tree->layout->chunk_union + 8 * i, &below))
			is_whole = false;
		else if (below)
			see_desc(tree, below, level + 1);
	}
	skipped[DUMP_SDT_SKIP_CHUNK] += !is_whole;
}

bool dump_sdt_read_allocator(const struct dump_sdt_layout *layout, struct bytes image,
			     struct dump_sdt_walk *walk, uint64_t *ret_root)
{
	struct cursor c = cursor_over(image);
	uint64_t elem_size, root;

	cursor_seek(&c, layout->allocator_pool + layout->pool_elem_size);
	elem_size = cursor_u64(&c);
	cursor_seek(&c, layout->allocator_root);
	root = cursor_u64(&c);
	if (c.failed)
		return false;
	*walk = (struct dump_sdt_walk){ .wanted = walk->wanted,
					.n_steps = walk->n_steps,
					.elem_size = elem_size };
	walk->is_elem_size_bad = elem_size < DUMP_SDT_MIN_ELEMENT ||
				 elem_size > DUMP_SDT_MAX_ELEMENT ||
				 elem_size < layout->data_header_size;
	if (!walk->is_elem_size_bad)
		walk->payload_size = elem_size - layout->data_header_size;
	*ret_root = root;
	return true;
}

void dump_sdt_walk_tree(struct kmem_space *space, const struct dump_arena *arena,
			const struct dump_sdt_layout *layout, uint64_t root,
			struct dump_sdt_walk *walk, dump_sdt_entry_fn fn, void *context)
{
	struct tree tree = { .space = space,
			     .arena = arena,
			     .layout = layout,
			     .walk = walk,
			     .fn = fn,
			     .context = context };

	/* A pool that was never set up has no tree. */
	if (root && !walk->is_elem_size_bad)
		see_desc(&tree, root, 0);
	hash_index_deinit(&tree.seen);
}
