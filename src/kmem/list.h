/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lists of the kernel (include/linux/types.h, list_nulls.h). The callback gets the address of the
 * link inside the element: take off the member's offset. It returns false to stop.
 */
#ifndef KTSTR_KMEM_LIST_H
#define KTSTR_KMEM_LIST_H

#include "kmem/walk.h"

typedef bool (*kmem_link_fn)(void *context, uint64_t link);

/* struct list_head: a ring; the head itself is no element. */
void kmem_list(struct kmem_space *space, uint64_t head, struct kmem_walk *walk, kmem_link_fn fn,
	       void *context);
/* struct hlist_head: ends with NULL. */
void kmem_hlist(struct kmem_space *space, uint64_t head, struct kmem_walk *walk, kmem_link_fn fn,
		void *context);
/*
 * struct hlist_nulls_head: ends with an odd value. *ret_end is that value (may be NULL): in a
 * hash table it names the bucket, and another than one's own means that an element has moved.
 */
void kmem_hlist_nulls(struct kmem_space *space, uint64_t head, struct kmem_walk *walk,
		      kmem_link_fn fn, void *context, uint64_t *ret_end);

#endif
