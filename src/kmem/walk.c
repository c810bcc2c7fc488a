// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kmem/walk.h"

void kmem_walk_begin(struct kmem_walk *walk)
{
	*walk = (struct kmem_walk){ .wanted = walk->wanted,
				    .written = walk->written,
				    .most_written = walk->most_written,
				    .steps_left = walk->steps_left };
}

bool kmem_walk_step(struct kmem_walk *walk)
{
	if (walk->n_steps >= KMEM_LIMIT_WALK || (walk->steps_left && !*walk->steps_left)) {
		walk->end = KMEM_WALK_LIMITED;
		return false;
	}
	walk->n_steps++;
	if (walk->steps_left)
		--*walk->steps_left;
	return true;
}

bool kmem_walk_read(struct kmem_walk *walk, struct kmem_space *space, uint64_t address, void *buf,
		    size_t n)
{
	walk->status = kmem_read(space, address, buf, n, NULL);
	if (walk->status == KMEM_READ_OK)
		return true;
	walk->end = KMEM_WALK_UNREADABLE;
	walk->failed = address;
	return false;
}

bool kmem_walk_shows(struct kmem_walk *walk)
{
	walk->n++;
	if ((walk->wanted && walk->n_shown >= walk->wanted) ||
	    (walk->written && *walk->written >= walk->most_written))
		return false;
	walk->n_shown++;
	return true;
}

bool kmem_walk_circles(struct kmem_walk *walk, struct kmem_circle *circle, uint64_t at)
{
	if (circle->until && at == circle->remembered) {
		walk->end = KMEM_WALK_CYCLE;
		return true;
	}
	if (circle->since++ == circle->until) {
		circle->remembered = at;
		circle->since = 0;
		circle->until = circle->until ? 2 * circle->until : 1;
	}
	return false;
}

void kmem_walk_join(struct kmem_walk *walk, const struct kmem_walk *part)
{
	walk->n_bad_backlinks += part->n_bad_backlinks;
	if (walk->end != KMEM_WALK_WHOLE || part->end == KMEM_WALK_WHOLE)
		return;
	walk->end = part->end;
	walk->status = part->status;
	walk->failed = part->failed;
}

void kmem_walk_format(const struct kmem_walk *walk, struct strbuf *into)
{
	unsigned long long n = walk->n, shown = walk->n_shown;

	if (walk->end == KMEM_WALK_WHOLE && n == shown)
		strbuf_appendf(into, "%llu", n);
	else
		strbuf_appendf(into, "shown %llu of %s%llu", shown,
			       walk->end == KMEM_WALK_WHOLE ? "" : "at least ", n);
	switch (walk->end) {
	case KMEM_WALK_WHOLE:
	case KMEM_WALK_STOPPED:
		break;
	case KMEM_WALK_LIMITED:
		strbuf_appendf(into, ": given up after %llu steps",
			       (unsigned long long)walk->n_steps);
		break;
	case KMEM_WALK_CYCLE:
		strbuf_append(into, ": it contains a cycle");
		break;
	case KMEM_WALK_UNREADABLE:
		strbuf_appendf(into, ": address %#llx is %s", (unsigned long long)walk->failed,
			       kmem_status_name(walk->status));
	}
	if (walk->n_bad_backlinks)
		strbuf_appendf(into, "; %llu links do not point back",
			       (unsigned long long)walk->n_bad_backlinks);
}

/* Both kinds of links: where it goes on, and what points here. */
struct list_link {
	uint64_t next;
	uint64_t back;
};

static bool is_end(enum kmem_links kind, uint64_t head, uint64_t at)
{
	switch (kind) {
	case KMEM_LIST:
		return at == head;
	case KMEM_HLIST:
		return at == 0;
	default:
		return at & 1;
	}
}

void kmem_links(struct kmem_space *space, enum kmem_links kind, uint64_t head,
		struct kmem_walk *walk, kmem_link_fn fn, void *context)
{
	struct kmem_circle circle = { 0 };
	uint64_t came_from = head, at;

	kmem_walk_begin(walk);
	if (!kmem_walk_read(walk, space, head, &at, sizeof(at)))
		return;
	while (!is_end(kind, head, at)) {
		struct list_link link;

		if (kmem_walk_circles(walk, &circle, at) || !kmem_walk_step(walk) ||
		    !kmem_walk_read(walk, space, at, &link, sizeof(link)))
			return;
		/* prev is the element before; pprev its `next`, which stands at its beginning. */
		walk->n_bad_backlinks += link.back != came_from;
		if (kmem_walk_shows(walk) && !fn(context, at)) {
			walk->end = KMEM_WALK_STOPPED;
			return;
		}
		came_from = at;
		at = link.next;
	}
}

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
	/* The top node may have any level that a 64-bit index can need, and has no parent. */
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

enum { BUCKETS_AT_ONCE = 256 };

struct hash_walk {
	struct kmem_space *space;
	const struct kmem_fields *fields;
	struct kmem_walk *walk;
	kmem_link_fn fn;
	void *context;
};

struct bucket_table {
	uint64_t size, nest, next;
};

/* Bit 0 of a bucket is its lock; the chain ends with an odd value. False: the walk has ended. */
static bool walk_chain(const struct hash_walk *w, uint64_t at)
{
	struct kmem_circle circle = { 0 };

	at &= ~UINT64_C(1);
	while (at && !(at & 1)) {
		uint64_t next;

		if (kmem_walk_circles(w->walk, &circle, at) || !kmem_walk_step(w->walk) ||
		    !kmem_walk_read(w->walk, w->space, at, &next, sizeof(next)))
			return false;
		if (kmem_walk_shows(w->walk) && !w->fn(w->context, at)) {
			w->walk->end = KMEM_WALK_STOPPED;
			return false;
		}
		at = next;
	}
	return true;
}

static bool walk_buckets(const struct hash_walk *w, uint64_t at, uint64_t n)
{
	uint64_t buckets[BUCKETS_AT_ONCE];

	while (n) {
		uint64_t here = n < BUCKETS_AT_ONCE ? n : BUCKETS_AT_ONCE;

		if (!kmem_walk_read(w->walk, w->space, at, buckets, here * sizeof(*buckets)))
			return false;
		for (uint64_t i = 0; i < here; i++) {
			if (!walk_chain(w, buckets[i]))
				return false;
		}
		at += here * sizeof(*buckets);
		n -= here;
	}
	return true;
}

static bool read_member(const struct hash_walk *w, enum kmem_field_id id, uint64_t base,
			uint64_t *ret)
{
	enum kmem_status status = kmem_field_read(w->fields, w->space, id, base, ret);

	if (status == KMEM_READ_OK)
		return true;
	w->walk->end = KMEM_WALK_UNREADABLE;
	w->walk->status = status;
	w->walk->failed = base;
	return false;
}

struct error *kmem_rhashtable(struct kmem_space *space, const struct kmem_fields *fields,
			      uint64_t table, struct kmem_walk *walk, kmem_link_fn fn,
			      void *context)
{
	const struct hash_walk w = { space, fields, walk, fn, context };
	struct kmem_circle circle = { 0 };
	struct error *err = kmem_fields_require(fields, KMEM_VIEW_RHASHTABLE);
	uint64_t at;

	kmem_walk_begin(walk);
	if (err || !read_member(&w, KMEM_F_RHASHTABLE_TBL, table, &at))
		return err;
	for (unsigned int n = 0; at; n++) {
		struct bucket_table t;

		if (kmem_walk_circles(walk, &circle, at))
			return NULL;
		if (n == KMEM_LIMIT_TABLES) {
			walk->end = KMEM_WALK_LIMITED;
			return NULL;
		}
		if (!read_member(&w, KMEM_F_BUCKET_TABLE_SIZE, at, &t.size) ||
		    !read_member(&w, KMEM_F_BUCKET_TABLE_NEST, at, &t.nest) ||
		    !read_member(&w, KMEM_F_BUCKET_TABLE_FUTURE, at, &t.next))
			return NULL;
		if (t.nest)
			return base_error(BASE_ABSENT, 0,
					  "buckets in tables of their own are not read");
		if (t.size > KMEM_LIMIT_BUCKETS)
			return base_error(BASE_LIMIT, 0, "a hash table of %llu buckets",
					  (unsigned long long)t.size);
		if (!walk_buckets(&w, at + fields->at[KMEM_F_BUCKET_TABLE_BUCKETS].place.offset,
				  t.size))
			return NULL;
		at = t.next;
	}
	return NULL;
}
