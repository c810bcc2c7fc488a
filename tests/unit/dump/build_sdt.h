/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An arena in RAM made by hand, and the allocator of a scheduler in it, written down from what is
 * said about it and not from the code under test. Pages that are neighbours in the arena are none
 * in RAM, and the arena does not begin at a multiple of 4 GiB.
 */
#ifndef KTSTR_TESTS_BUILD_SDT_H
#define KTSTR_TESTS_BUILD_SDT_H

#include "../kmem/build_memory.h"
#include "dump/sdt.h"

#define SDT_USER   UINT64_C(0x00007f1234560000)
#define SDT_KERNEL UINT64_C(0xffffc90000008000)

enum {
	SDT_PAGES = 256,
	SDT_RAM = (SDT_PAGES + 64) * 4096,
	/* struct sdt_desc */
	IN_DESC_BITS = 0,
	IN_DESC_FREE = 64,
	IN_DESC_CHUNK = 72,
	SDT_DESC_BYTES = 80,
	SDT_CHUNK_BYTES = 4096,
};

static const struct dump_sdt_layout build_sdt_layout = {
	.allocator_pool = 0,
	.allocator_root = 32,
	.allocator_size = 40,
	.pool_elem_size = 8,
	.desc_allocated = IN_DESC_BITS,
	.desc_nr_free = IN_DESC_FREE,
	.desc_chunk = IN_DESC_CHUNK,
	.chunk_union = 0,
	.data_header_size = 8,
};

struct build_sdt {
	struct build_memory memory;
	struct kmem_reader reader;
	struct kmem_space space;
	struct dump_arena arena;
	uint64_t next; /* free from here on */
	uint64_t elem_size, root;
};

/* Page i of the arena is page PAGES - 1 - i of RAM. */
static inline uint64_t sdt_physical(uint64_t user)
{
	uint64_t offset = user - SDT_USER;

	return (SDT_PAGES - 1 - offset / 4096) * 4096 + offset % 4096;
}

static inline void sdt_put(struct build_sdt *s, uint64_t user, uint64_t value)
{
	for (unsigned int i = 0; i < 8; i++) {
		uint8_t byte = (uint8_t)(value >> (8 * i));

		build_put(&s->memory, sdt_physical(user + i), &byte, 1);
	}
	kmem_space_forget(&s->space);
}

static inline uint64_t sdt_get(struct build_sdt *s, uint64_t user)
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < 8; i++)
		value |= (uint64_t)s->memory.at[sdt_physical(user + i)] << (8 * i);
	return value;
}

static inline uint64_t sdt_kernel(uint64_t user)
{
	return SDT_KERNEL + (user & 0xffffffff);
}

static inline void sdt_unmap(struct build_sdt *s, uint64_t user)
{
	build_put_u64(&s->memory, build_entry(&s->memory, sdt_kernel(user), 12), 0);
	kmem_space_forget(&s->space);
}

static inline struct build_sdt *build_sdt_new(uint64_t elem_size)
{
	struct build_sdt *s = xnew(struct build_sdt);

	s->memory = build_memory_new(SDT_RAM, SDT_PAGES * 4096, 4);
	s->reader = build_reader(&s->memory);
	for (uint64_t i = 0; i < SDT_PAGES; i++) {
		uint64_t user = SDT_USER + i * 4096;

		build_map(&s->memory, sdt_kernel(user), sdt_physical(user), 12, MAP_WRITABLE);
	}
	kmem_space_init(&s->space, &s->reader, &s->memory.paging);
	s->arena = (struct dump_arena){ .user_start = SDT_USER,
					.user_end = SDT_USER + (uint64_t)SDT_PAGES * 4096,
					.kernel_start = SDT_KERNEL,
					.declared_pages = SDT_PAGES };
	s->next = SDT_USER + 64; /* chunks and elements cross pages */
	s->elem_size = elem_size;
	return s;
}

static inline void build_sdt_free(struct build_sdt *s)
{
	kmem_space_deinit(&s->space);
	build_memory_deinit(&s->memory);
	free(s);
}

static inline uint64_t sdt_bump(struct build_sdt *s, uint64_t bytes)
{
	uint64_t at = s->next;

	if (at + bytes > s->arena.user_end)
		__builtin_trap();
	s->next += bytes;
	return at;
}

static inline uint64_t sdt_new_desc(struct build_sdt *s)
{
	uint64_t desc = sdt_bump(s, SDT_DESC_BYTES);

	sdt_put(s, desc + IN_DESC_FREE, 512);
	sdt_put(s, desc + IN_DESC_CHUNK, sdt_bump(s, SDT_CHUNK_BYTES));
	return desc;
}

static inline uint64_t sdt_slot(struct build_sdt *s, uint64_t desc, unsigned int pos)
{
	return sdt_get(s, desc + IN_DESC_CHUNK) + 8 * pos;
}

static inline void sdt_set_bit(struct build_sdt *s, uint64_t desc, unsigned int pos)
{
	uint64_t word = desc + IN_DESC_BITS + 8 * (pos / 64);

	sdt_put(s, word, sdt_get(s, word) | UINT64_C(1) << pos % 64);
	sdt_put(s, desc + IN_DESC_FREE, sdt_get(s, desc + IN_DESC_FREE) - 1);
}

static inline void sdt_clear_bit(struct build_sdt *s, uint64_t desc, unsigned int pos)
{
	uint64_t word = desc + IN_DESC_BITS + 8 * (pos / 64);

	sdt_put(s, word, sdt_get(s, word) & ~(UINT64_C(1) << pos % 64));
	sdt_put(s, desc + IN_DESC_FREE, sdt_get(s, desc + IN_DESC_FREE) + 1);
}

/* The descriptor of a level on the way to an element, made when it is not there. */
static inline uint64_t sdt_desc_at(struct build_sdt *s, uint32_t idx, unsigned int level)
{
	uint64_t desc;

	if (!s->root)
		s->root = sdt_new_desc(s);
	desc = s->root;
	for (unsigned int i = 0; i < level; i++) {
		uint64_t slot = sdt_slot(s, desc, idx >> (18 - 9 * i) & 511);

		if (!sdt_get(s, slot))
			sdt_put(s, slot, sdt_new_desc(s));
		desc = sdt_get(s, slot);
	}
	return desc;
}

/* One element with its number as payload; full subtrees get their bit further up. */
static inline uint64_t sdt_alloc(struct build_sdt *s, uint32_t idx)
{
	uint64_t desc = sdt_desc_at(s, idx, 2), data = sdt_bump(s, s->elem_size);

	sdt_put(s, sdt_slot(s, desc, idx & 511), data);
	sdt_set_bit(s, desc, idx & 511);
	if (sdt_get(s, desc + IN_DESC_FREE) == 0)
		sdt_set_bit(s, sdt_desc_at(s, idx, 1), idx >> 9 & 511);
	sdt_put(s, data, (uint64_t)1 << 32 | idx);
	for (uint64_t i = 8; i < s->elem_size; i += 8)
		sdt_put(s, data + i, (uint64_t)i << 32 | (idx + 1));
	return data;
}

#endif
