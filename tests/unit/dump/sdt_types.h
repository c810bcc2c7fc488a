/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The allocator's types as a program may bring them, each with a body, declared, or not at all. */
#ifndef KTSTR_TESTS_SDT_TYPES_H
#define KTSTR_TESTS_SDT_TYPES_H

#include "../btf/build_btf.h"
#include "btf/btf.h"

enum sdt_body { SDT_FULL, SDT_FORWARD, SDT_ABSENT };

struct sdt_form {
	enum sdt_body allocator, pool, desc, chunk, data;
	bool chunk_by_data;	/* its first arm has another name */
	uint32_t chunk_entries; /* 0: 512 */
	uint32_t bitmap_words;	/* 0: 8 */
	uint32_t front;		/* bytes in front of everything */
};

struct sdt_types {
	uint32_t u64, allocator, section;
};

static inline uint32_t sdt_declare(struct build_btf *b, const char *name)
{
	return build_btf_type(b, name, 7, 0, 0);
}

static inline struct sdt_types build_sdt_types(struct build_btf *b, const struct sdt_form *form)
{
	uint32_t u64 = build_btf_int(b, "unsigned long long", 8, 0);
	uint32_t pointer = build_btf_type(b, "", 2, 0, 0);
	uint32_t bits = build_btf_array(b, u64, form->bitmap_words ? form->bitmap_words : 8);
	uint32_t slots = build_btf_array(b, pointer,
					 form->chunk_entries ? form->chunk_entries : 512);
	uint32_t at = form->front * 8, pool = u64;
	struct sdt_types types = { .u64 = u64 };

	if (form->pool == SDT_FULL)
		pool = BUILD_STRUCT(b, "sdt_pool", form->front + 32, { "slab", pointer, at, 0 },
				    { "elem_size", u64, at + 64, 0 },
				    { "max_elems", u64, at + 128, 0 }, { "idx", u64, at + 192, 0 });
	if (form->pool == SDT_FORWARD)
		sdt_declare(b, "sdt_pool");
	if (form->allocator == SDT_FULL)
		types.allocator = BUILD_STRUCT(b, "scx_allocator", 2 * form->front + 40,
					       { "pool", pool, at, 0 },
					       { "root", pointer, 2 * at + 256, 0 });
	if (form->allocator == SDT_FORWARD)
		sdt_declare(b, "scx_allocator");
	if (form->desc == SDT_FULL)
		BUILD_STRUCT(b, "sdt_desc", form->front + 80, { "allocated", bits, at, 0 },
			     { "nr_free", u64, at + 512, 0 }, { "chunk", pointer, at + 576, 0 });
	if (form->desc == SDT_FORWARD)
		sdt_declare(b, "sdt_desc");
	if (form->chunk == SDT_FULL) {
		uint32_t arms = form->chunk_by_data
					? BUILD_UNION(b, "", 4096, { "renamed", slots, 0, 0 },
						      { "data", slots, 0, 0 })
					: BUILD_UNION(b, "", 4096, { "descs", slots, 0, 0 },
						      { "renamed", slots, 0, 0 });

		BUILD_STRUCT(b, "sdt_chunk", form->front + 4096, { "", arms, at, 0 });
	}
	if (form->chunk == SDT_FORWARD)
		sdt_declare(b, "sdt_chunk");
	if (form->data == SDT_FULL)
		BUILD_STRUCT(b, "sdt_data", form->front + 8, { "tid", u64, 0, 0 });
	if (form->data == SDT_FORWARD)
		sdt_declare(b, "sdt_data");
	return types;
}

#endif
