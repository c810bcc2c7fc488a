// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kmem/rbtree.h"

struct rb_node {
	uint64_t parent_and_colour; /* the lowest two bits are no part of the address */
	uint64_t right, left;
};

struct pending {
	uint64_t at, right;
};

/* The node at `at`; false: it ended the walk or does not belong here (then *ret_known is false). */
static bool enter(struct kmem_space *space, struct kmem_walk *walk, uint64_t at, uint64_t parent,
		  struct rb_node *ret, bool *ret_known)
{
	if (!kmem_walk_step(walk) || !kmem_walk_read(walk, space, at, ret, sizeof(*ret)))
		return false;
	*ret_known = (ret->parent_and_colour & ~UINT64_C(3)) == parent;
	walk->n_crooked += !*ret_known;
	return true;
}

void kmem_rbtree(struct kmem_space *space, uint64_t root, struct kmem_walk *walk, kmem_link_fn fn,
		 void *context)
{
	/* The nodes whose left side is being walked; a balanced tree needs far fewer. */
	struct pending stack[KMEM_LIMIT_TREE_DEPTH];
	size_t depth = 0;
	uint64_t at, parent = 0;

	kmem_walk_begin(walk);
	if (!kmem_walk_read(walk, space, root, &at, sizeof(at)))
		return;
	for (;;) {
		while (at) {
			struct rb_node node;
			bool known;

			if (!enter(space, walk, at, parent, &node, &known))
				return;
			if (!known)
				break;
			if (depth == KMEM_LIMIT_TREE_DEPTH) {
				walk->end = KMEM_WALK_LIMIT;
				return;
			}
			stack[depth++] = (struct pending){ at, node.right };
			parent = at;
			at = node.left;
		}
		if (depth == 0)
			return;
		depth--;
		if (kmem_walk_shows(walk) && !fn(context, stack[depth].at)) {
			walk->end = KMEM_WALK_STOPPED;
			return;
		}
		parent = stack[depth].at;
		at = stack[depth].right;
	}
}
