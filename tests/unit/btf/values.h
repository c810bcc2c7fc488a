/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes of the sample's types, memory that holds them, and what a tree must look like. */
#ifndef KTSTR_TESTS_BTF_VALUES_H
#define KTSTR_TESTS_BTF_VALUES_H

#include "btf/value.h"
#include "sample.h"
#include "value_find.h"

static inline void put_bytes(uint8_t *at, uint64_t value, int n)
{
	for (int i = 0; i < n; i++)
		at[i] = (uint8_t)(value >> (8 * i));
}

static inline struct btf_value_tree *tree_of(const struct btf *btf, uint32_t type, const void *at,
					     size_t n, const struct btf_value_options *options)
{
	struct btf_value_block block = { .data = { at, n } };

	return btf_value_new(btf, type, &block, options);
}

static inline void assert_text(const struct btf_value_tree *tree, const char *expected)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	btf_value_format(tree, btf_value_root(tree), NULL, &text);
	assert_string_equal(strbuf_str(&text), expected);
}

/* A few pages that begin at this address; the second cannot be read. */
enum { PAGES = 4, PAGE = 4096 };
#define PAGES_AT UINT64_C(0xffff888000010000)

struct pages {
	uint8_t bytes[PAGES * PAGE];
	uint32_t reads;
	uint32_t asked;
	unsigned int follow_below; /* pointers on the way */
};

static inline const char *pages_read(void *context, uint64_t address, void *to, size_t n)
{
	struct pages *pages = context;
	uint64_t at = address - PAGES_AT;

	pages->reads++;
	/* The promise of the interface. */
	assert_true(n > 0 && at / PAGE == (at + n - 1) / PAGE);
	if (at >= sizeof(pages->bytes))
		return "outside RAM";
	if (at / PAGE == 1)
		return "unmapped";
	memcpy(to, pages->bytes + at, n);
	return NULL;
}

static inline bool pages_step(void *context, const struct btf_value_pointer *pointer,
			      struct btf_value_target *target UNUSED)
{
	struct pages *pages = context;

	pages->asked++;
	return pointer->followed < pages->follow_below;
}

/* A task at `at`, whose runqueue is at `rq` (an address). */
static inline void put_task(struct pages *pages, uint64_t at, const char *comm, int pid,
			    uint64_t rq)
{
	uint8_t *to = pages->bytes + at;

	snprintf((char *)to, 16, "%s", comm);
	put_bytes(to + 16, (uint64_t)pid, 4);
	put_bytes(to + 20, 2, 4);
	put_bytes(to + 24, rq, 8);
	to[32] = 1;
}

static inline void put_rq(struct pages *pages, uint64_t at, uint32_t nr, uint64_t curr)
{
	put_bytes(pages->bytes + at, nr, 4);
	put_bytes(pages->bytes + at + 88, curr, 8);
}

#endif
