/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Resizable hash tables of the kernel (include/linux/rhashtable-types.h). While one is being
 * resized its elements are spread over the old table and the new; both are walked. The callback
 * gets the address of the rhash_head inside the element and returns false to stop.
 */
#ifndef KTSTR_KMEM_RHASHTABLE_H
#define KTSTR_KMEM_RHASHTABLE_H

#include "kmem/fields.h"
#include "kmem/list.h"

/*
 * `table` is the address of a struct rhashtable. KMEM_NO_FIELD when the types do not say how;
 * BASE_LIMIT for more buckets than any has. A table whose buckets are themselves in tables (made
 * when memory was short) is BASE_ABSENT. Otherwise `walk` tells how it ended.
 */
struct error *kmem_rhashtable(struct kmem_space *space, const struct kmem_fields *fields,
			      uint64_t table, struct kmem_walk *walk, kmem_link_fn fn,
			      void *context) MUST_CHECK;

#endif
