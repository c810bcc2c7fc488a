// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kmem/walk.h"

enum { LARGEST_CHUNK = 64, HIGHEST_INTERNAL = 4096 };

struct xa_level {
	uint64_t node, index;
	unsigned int shift, slot;
	uint64_t slots[LARGEST_CHUNK];
};

struct xa_walk {
	struct kmem_space *space;
	const struct kmem_xarray_form *form;
	struct kmem_walk *walk;
	kmem_entry_fn fn;
	void *context;
	unsigned int chunk_shift;
	size_t depth;
	struct xa_level levels[KMEM_LIMIT_XARRAY_DEPTH];
};

/* Internal entries end with the bits 10; those up to 4096 mean retry, zero, sibling. */
static bool is_internal(uint64_t entry)
{
	return (entry & 3) == 2;
}

static bool is_node(uint64_t entry)
{
	return is_internal(entry) && entry > HIGHEST_INTERNAL;
}

/* Goes one level down. False: the walk has ended. */
static bool descend(struct xa_walk *w, uint64_t node, uint64_t index)
{
	const struct xa_level *above = w->depth ? &w->levels[w->depth - 1] : NULL;
	struct xa_level *level;
	uint64_t parent;
	uint8_t shift, offset;

	if (!kmem_walk_step(w->walk) ||
	    !kmem_walk_read(w->walk, w->space, node + w->form->shift, &shift, 1) ||
	    !kmem_walk_read(w->walk, w->space, node + w->form->offset, &offset, 1) ||
	    !kmem_walk_read(w->walk, w->space, node + w->form->parent, &parent, 8))
		return false;
	/* The top may have any level that a 64-bit index can need, and lies below nobody. */
	if (above ? shift + w->chunk_shift != above->shift || parent != above->node ||
			    offset != above->slot
		  : shift >= 64 || shift % w->chunk_shift || parent) {
		w->walk->n_bad_backlinks++;
		return true;
	}
	if (w->depth == KMEM_LIMIT_XARRAY_DEPTH) {
		w->walk->end = KMEM_WALK_LIMITED;
		return false;
	}
	level = &w->levels[w->depth];
	*level = (struct xa_level){ .node = node, .index = index, .shift = shift };
	if (!kmem_walk_read(w->walk, w->space, node + w->form->slots, level->slots,
			    8 * (size_t)w->form->n_slots))
		return false;
	w->depth++;
	return true;
}

static bool take_entry(struct xa_walk *w, uint64_t index, uint64_t entry)
{
	if (entry == 0 || is_internal(entry))
		return true;
	if (kmem_walk_shows(w->walk) && !w->fn(w->context, index, entry)) {
		w->walk->end = KMEM_WALK_STOPPED;
		return false;
	}
	return true;
}

void kmem_xarray(struct kmem_space *space, const struct kmem_xarray_form *form, uint64_t head,
		 struct kmem_walk *walk, kmem_entry_fn fn, void *context)
{
	struct xa_walk w = { .space = space,
			     .form = form,
			     .walk = walk,
			     .fn = fn,
			     .context = context,
			     .chunk_shift = form->n_slots == LARGEST_CHUNK ? 6 : 4 };
	uint64_t entry;

	kmem_walk_begin(walk);
	/* The form comes from the guest as well. */
	if (form->n_slots != LARGEST_CHUNK && form->n_slots != 16) {
		walk->end = KMEM_WALK_UNREADABLE;
		walk->status = KMEM_READ_UNKNOWN;
		walk->failed = head;
		return;
	}
	if (!kmem_walk_read(walk, space, head, &entry, sizeof(entry)))
		return;
	/* A single entry at index 0 needs no node. */
	if (!is_node(entry)) {
		(void)!take_entry(&w, 0, entry);
		return;
	}
	if (!descend(&w, entry - 2, 0))
		return;
	while (w.depth) {
		struct xa_level *level = &w.levels[w.depth - 1];
		uint64_t index;

		if (level->slot == form->n_slots) {
			w.depth--;
			if (w.depth)
				w.levels[w.depth - 1].slot++;
			continue;
		}
		entry = level->slots[level->slot];
		index = level->index + ((uint64_t)level->slot << level->shift);
		if (is_node(entry) && level->shift) {
			size_t before = w.depth;

			if (!descend(&w, entry - 2, index))
				return;
			if (w.depth > before)
				continue;
		} else if (!take_entry(&w, index, entry)) {
			return;
		}
		level->slot++;
	}
}
