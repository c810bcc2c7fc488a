/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A guest's RAM made by hand: bytes from physical address 0 on, and page tables in them. */
#ifndef KTSTR_TESTS_BUILD_MEMORY_H
#define KTSTR_TESTS_BUILD_MEMORY_H

#include <string.h>

#include "base/alloc.h"
#include "kmem/space.h"
#include "kmem/reader.h"

enum {
	MAP_PRESENT = 1,
	MAP_WRITABLE = 2,
	MAP_USER = 4,
	MAP_PAT = 1 << 7,	 /* in an entry of the last level */
	MAP_LARGE_PAT = 1 << 12, /* in an entry of a large page */
};
#define MAP_NO_EXECUTE (UINT64_C(1) << 63)

struct build_memory {
	uint8_t *at;
	size_t n;
	uint64_t next; /* the next free page */
	struct kmem_paging paging;
};

static inline void build_put(struct build_memory *m, uint64_t physical, const void *bytes, size_t n)
{
	if (physical > m->n || n > m->n - physical)
		__builtin_trap();
	memcpy(m->at + physical, bytes, n);
}

static inline void build_put_u64(struct build_memory *m, uint64_t physical, uint64_t value)
{
	build_put(m, physical, &value, 8);
}

static inline uint64_t build_get_u64(const struct build_memory *m, uint64_t physical)
{
	uint64_t value;

	memcpy(&value, m->at + physical, 8);
	return value;
}

static inline uint64_t build_page(struct build_memory *m)
{
	uint64_t page = m->next;

	if (page + 4096 > m->n)
		__builtin_trap();
	m->next += 4096;
	return page;
}

/* `bytes` of RAM; tables are made from `first_free` on. */
static inline struct build_memory build_memory_new(size_t bytes, uint64_t first_free,
						   unsigned int levels)
{
	struct build_memory m = { .at = xcalloc(bytes, 1), .n = bytes, .next = first_free };

	m.paging.levels = levels;
	m.paging.root = build_page(&m);
	return m;
}

static inline void build_memory_deinit(struct build_memory *m)
{
	free(m->at);
}
#define _cleanup_build_memory_ __attribute__((cleanup(build_memory_deinit)))

/* Where the entry of that size for the address stands; makes the tables above it. */
static inline uint64_t build_entry(struct build_memory *m, uint64_t address, unsigned int shift)
{
	uint64_t table = m->paging.root;

	for (unsigned int at = 12 + 9 * (m->paging.levels - 1);; at -= 9) {
		uint64_t entry = table + 8 * (address >> at & 511);

		if (at == shift)
			return entry;
		if (!(build_get_u64(m, entry) & MAP_PRESENT))
			build_put_u64(m, entry,
				      build_page(m) | MAP_PRESENT | MAP_WRITABLE | MAP_USER);
		table = build_get_u64(m, entry) & UINT64_C(0x000ffffffffff000);
	}
}

/* One page of 1 << shift bytes. */
static inline void build_map(struct build_memory *m, uint64_t address, uint64_t physical,
			     unsigned int shift, uint64_t flags)
{
	uint64_t entry = build_entry(m, address, shift);

	build_put_u64(m, entry, physical | flags | MAP_PRESENT | (shift > 12 ? 1 << 7 : 0));
}

/* n pages of 4 KiB, one behind the other. */
static inline void build_map_range(struct build_memory *m, uint64_t address, uint64_t physical,
				   size_t n)
{
	for (size_t i = 0; i < n; i++)
		build_map(m, address + i * 4096, physical + i * 4096, 12, MAP_WRITABLE);
}

static inline struct kmem_reader build_reader(const struct build_memory *m)
{
	return kmem_reader_of_bytes((struct bytes){ m->at, m->n }, 0);
}

#endif
