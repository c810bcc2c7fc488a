/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Page tables of x86-64, 4 or 5 levels, pages of 4 KiB, 2 MiB and 1 GiB. Tables are foreign
 * bytes: an entry that leads out of RAM is KMEM_READ_OUTSIDE, a walk has no more steps than there
 * are levels.
 */
#ifndef KTSTR_KMEM_PAGING_H
#define KTSTR_KMEM_PAGING_H

#include "kmem/pages.h"

struct kmem_paging {
	uint64_t root;		  /* physical */
	unsigned int levels;	  /* 4 or 5 */
	uint64_t encryption_mask; /* bits of an entry that are no part of the address */
};

struct kmem_mapping {
	uint64_t physical; /* of the address asked for */
	/*
	 * Bytes from the address to the end of its page; without a page, to the end of what the
	 * missing entry would cover: a walk over a range goes on behind it. Never 0.
	 */
	uint64_t left;
	unsigned int page_shift; /* 12, 21, 30 */
	bool writable, user, executable;
};

/* Sign-extended from the highest bit that the levels translate. */
bool kmem_paging_is_canonical(const struct kmem_paging *paging, uint64_t address);

/* *ret is written for KMEM_READ_OK; for KMEM_READ_UNMAPPED only `left` means something. */
enum kmem_status kmem_paging_walk(const struct kmem_paging *paging, struct kmem_pages *pages,
				  uint64_t address, struct kmem_mapping *ret) MUST_CHECK;

#endif
