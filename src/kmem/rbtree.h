/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Red-black trees of the kernel (include/linux/rbtree_types.h), from left to right. The callback
 * gets the address of the rb_node inside the element and returns false to stop. A child that does
 * not call the node its parent is counted as crooked and left out, with all below it; so no node is
 * met twice.
 */
#ifndef KTSTR_KMEM_RBTREE_H
#define KTSTR_KMEM_RBTREE_H

#include "kmem/list.h"

/* `root` is the address of a struct rb_root or rb_root_cached: of the pointer to the top node. */
void kmem_rbtree(struct kmem_space *space, uint64_t root, struct kmem_walk *walk, kmem_link_fn fn,
		 void *context);

#endif
