/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * XArrays, and what is made of them: radix trees and IDRs (include/linux/xarray.h). The tree
 * itself is walked, from the lowest index on; no count of the guest is believed. A node whose
 * level, parent or place is not what it must be is counted as crooked and left out.
 */
#ifndef KTSTR_KMEM_XARRAY_H
#define KTSTR_KMEM_XARRAY_H

#include "kmem/walk.h"

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

#endif
