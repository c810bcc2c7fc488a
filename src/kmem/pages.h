/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Physical memory with a memory of its own: small reads of one page cost one read. What was read
 * stays as it was until kmem_pages_forget(); whoever looks at a running guest calls it at the
 * beginning of each look.
 */
#ifndef KTSTR_KMEM_PAGES_H
#define KTSTR_KMEM_PAGES_H

#include "kmem/limits.h"
#include "kmem/reader.h"

struct kmem_pages {
	const struct kmem_reader *reader; /* borrowed */
	uint8_t (*bytes)[KMEM_PAGE_BYTES];
	uint64_t tags[KMEM_CACHED_PAGES]; /* page number + 1; 0: nothing */
	uint64_t n_reads;		  /* how often the reader was asked */
};

/*
 * Where page `number` is kept among n, a power of two. Spread: copies of per-CPU variables lie
 * whole multiples of 2 MiB apart and would push each other out.
 */
static inline size_t kmem_page_slot(uint64_t number, size_t n)
{
	return (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (n - 1);
}

void kmem_pages_init(struct kmem_pages *pages, const struct kmem_reader *reader);
void kmem_pages_deinit(struct kmem_pages *pages);
void kmem_pages_forget(struct kmem_pages *pages);

/* Whole or not at all. Ranges of a page and more pass the memory by. */
enum kmem_status kmem_pages_read(struct kmem_pages *pages, uint64_t physical, void *buf,
				 size_t n) MUST_CHECK;

#endif
