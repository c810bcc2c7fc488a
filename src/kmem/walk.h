/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What all walks over a guest's lists and trees have in common: a limit, a reported end, and
 * "shown a of b". A walk goes on counting after it has shown as much as was wanted.
 */
#ifndef KTSTR_KMEM_WALK_H
#define KTSTR_KMEM_WALK_H

#include "base/strbuf.h"
#include "kmem/fields.h"
#include "kmem/space.h"

enum kmem_walk_end {
	KMEM_WALK_WHOLE,      /* to the end */
	KMEM_WALK_STOPPED,    /* the callback had enough */
	KMEM_WALK_LIMITED,    /* more steps than any kernel needs */
	KMEM_WALK_CYCLE,      /* it contains a cycle */
	KMEM_WALK_UNREADABLE, /* `status` at `failed` */
};

struct kmem_walk {
	/* How many to show, 0: all; and how much may be written of them. Set it before the walk. */
	uint64_t wanted;
	const size_t *written; /* bytes written so far; NULL: not counted */
	size_t most_written;
	/* Shared with other walks, so that lists of lists have an end; NULL: only its own limit. */
	uint64_t *steps_left;

	enum kmem_walk_end end;
	uint64_t n_shown, n; /* given to the callback, seen */
	/*
	 * Links that do not point back to where they were followed from: torn by a change in
	 * progress, or damaged. Lists are followed all the same; branches of trees are not.
	 */
	uint64_t n_bad_backlinks;
	enum kmem_status status;
	uint64_t failed;

	uint64_t n_steps;
};

/* Starts anew; what is wanted stays. */
void kmem_walk_begin(struct kmem_walk *walk);
/* One step more; false: that was too many, and the walk has ended. */
bool kmem_walk_step(struct kmem_walk *walk) MUST_CHECK;
/* A read with its failure noted; false: the walk has ended. */
bool kmem_walk_read(struct kmem_walk *walk, struct kmem_space *space, uint64_t address, void *buf,
		    size_t n) MUST_CHECK;
/* One thing was found: true if it is to be shown. */
bool kmem_walk_shows(struct kmem_walk *walk) MUST_CHECK;

/*
 * Brent: one element is remembered, after every power of two of steps another. Meeting it again
 * means a cycle; no list of visited elements is needed. Starts as zeros.
 */
struct kmem_circle {
	uint64_t remembered;
	uint64_t since, until;
};
/* True: `at` was met before, and the walk has ended. */
bool kmem_walk_circles(struct kmem_walk *walk, struct kmem_circle *circle, uint64_t at) MUST_CHECK;

/* A walk was part of this one, as the chain of a bucket is: what was wrong with it counts here. */
void kmem_walk_join(struct kmem_walk *walk, const struct kmem_walk *part);

/* "5", "shown 5 of 12", "shown 5 of at least 9: it contains a cycle" and so on. */
void kmem_walk_format(const struct kmem_walk *walk, struct strbuf *into);

/*
 * Lists of the kernel (include/linux/types.h, list_nulls.h). The callback gets the address of the
 * link inside the element: take off the member's offset. It returns false to stop.
 */
typedef bool (*kmem_link_fn)(void *context, uint64_t link);

enum kmem_links {
	KMEM_LIST,	  /* struct list_head: a ring; the head itself is not an element */
	KMEM_HLIST,	  /* struct hlist_head: ends with NULL */
	KMEM_HLIST_NULLS, /* struct hlist_nulls_head: ends with an odd value */
};

void kmem_links(struct kmem_space *space, enum kmem_links kind, uint64_t head,
		struct kmem_walk *walk, kmem_link_fn fn, void *context);
static inline void kmem_list(struct kmem_space *space, uint64_t head, struct kmem_walk *walk,
			     kmem_link_fn fn, void *context)
{
	kmem_links(space, KMEM_LIST, head, walk, fn, context);
}

/*
 * XArrays, and what is made of them: radix trees and IDRs (include/linux/xarray.h). The tree
 * itself is walked, from the lowest index on; no count of the guest is believed. A node whose
 * level, parent or place is not what it must be is counted as crooked and left out.
 */
/* Where things are in struct xa_node, from the kernel's types. */
struct kmem_xarray_form {
	uint64_t shift, offset, parent, slots; /* offsets in bytes */
	uint32_t n_slots;		       /* 64, or 16 in small kernels */
};

/* `entry` is a pointer, or odd for a value (entry >> 1). False stops. */
typedef bool (*kmem_entry_fn)(void *context, uint64_t index, uint64_t entry);

/* `head` is the address of struct xarray's xa_head. */
void kmem_xarray(struct kmem_space *space, const struct kmem_xarray_form *form, uint64_t head,
		 struct kmem_walk *walk, kmem_entry_fn fn, void *context);

/*
 * Resizable hash tables of the kernel (include/linux/rhashtable-types.h). While one is being
 * resized its elements are spread over the old table and the new; both are walked. The callback
 * gets the address of the rhash_head inside the element and returns false to stop.
 */
/*
 * `table` is the address of a struct rhashtable. KMEM_NO_FIELD when the types do not say how;
 * BASE_LIMIT for more buckets than any has. A table whose buckets are themselves in tables (made
 * when memory was short) is BASE_ABSENT. Otherwise `walk` tells how it ended.
 */
struct error *kmem_rhashtable(struct kmem_space *space, const struct kmem_fields *fields,
			      uint64_t table, struct kmem_walk *walk, kmem_link_fn fn,
			      void *context) MUST_CHECK;

#endif
