// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kmem/walk.h"

enum list_kind { LIST, HLIST, HLIST_NULLS };

/* Both kinds of links: where it goes on, and what points here. */
struct list_link {
	uint64_t next;
	uint64_t back;
};

static bool is_end(enum list_kind kind, uint64_t head, uint64_t at)
{
	switch (kind) {
	case LIST:
		return at == head;
	case HLIST:
		return at == 0;
	default:
		return at & 1;
	}
}

static void walk_links(struct kmem_space *space, enum list_kind kind, uint64_t head,
		       struct kmem_walk *walk, kmem_link_fn fn, void *context, uint64_t *ret_end)
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
	if (ret_end)
		*ret_end = at;
}

void kmem_list(struct kmem_space *space, uint64_t head, struct kmem_walk *walk, kmem_link_fn fn,
	       void *context)
{
	walk_links(space, LIST, head, walk, fn, context, NULL);
}

void kmem_hlist(struct kmem_space *space, uint64_t head, struct kmem_walk *walk, kmem_link_fn fn,
		void *context)
{
	walk_links(space, HLIST, head, walk, fn, context, NULL);
}

void kmem_hlist_nulls(struct kmem_space *space, uint64_t head, struct kmem_walk *walk,
		      kmem_link_fn fn, void *context, uint64_t *ret_end)
{
	walk_links(space, HLIST_NULLS, head, walk, fn, context, ret_end);
}
