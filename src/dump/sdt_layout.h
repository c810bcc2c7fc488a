/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where things are in the allocator of per-task memory that schedulers link in (sdt_alloc of the
 * scx project), from the types of the program that uses it:
 *
 *	scx_allocator { sdt_pool pool; sdt_desc *root; }
 *	sdt_pool      { void *slab; u64 elem_size; u64 max_elems; u64 idx; }
 *	sdt_desc      { u64 allocated[8]; u64 nr_free; sdt_chunk *chunk; }
 *	sdt_chunk     { union { sdt_desc *descs[512]; sdt_data *data[512]; } }
 *	sdt_data      { union sdt_id { s32 idx; s32 genn; } tid; u64 payload[]; }
 */
#ifndef KTSTR_DUMP_SDT_LAYOUT_H
#define KTSTR_DUMP_SDT_LAYOUT_H

#include "btf/path.h"

enum {
	SDT_LEVELS = 3,
	SDT_CHUNK_ENTRIES = 512,
	SDT_BITMAP_WORDS = SDT_CHUNK_ENTRIES / 64,
	SDT_ID_BYTES = 8,
	/* What a pool can hand out: a header and a word; all within a page. */
	SDT_MIN_ELEMENT = 16,
	SDT_MAX_ELEMENT = 4096,
};

struct sdt_layout {
	uint64_t allocator_pool, allocator_root, allocator_size;
	uint64_t pool_elem_size;
	uint64_t desc_allocated, desc_nr_free, desc_chunk;
	uint64_t chunk_union;
	uint64_t data_header_size;
};

/*
 * Programs that hold only pointers to a struct have nothing but its declaration. BTF_NOT_FOUND:
 * the allocator is not part of the program; BTF_FORWARD_ONLY: a body is missing without which
 * nothing can be found. sdt_chunk may be without a body (its arrays begin at 0), and so may
 * sdt_data (its header has 8 bytes). A member of another width is BTF_NO_MEMBER.
 */
struct error *sdt_layout_of(const struct btf *btf, struct sdt_layout *ret) MUST_CHECK;

#endif
