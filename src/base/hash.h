/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * FNV-1a, 64 bits: names files in caches, and finds keys in struct hash_index. Not for input that
 * wants to collide: after a lookup by hash, compare the key itself.
 */
#ifndef KTSTR_BASE_HASH_H
#define KTSTR_BASE_HASH_H

#include "base/cleanup.h"
#include "base/macros.h"

#define HASH_INIT UINT64_C(0xcbf29ce484222325)

static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t n)
{
	const uint8_t *at = bytes;

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
	return hash;
}

/* A word spread over the bits: addresses and ids differ in few of them. The high half is good. */
static inline uint64_t hash_u64(uint64_t word)
{
	return word * UINT64_C(0x9e3779b97f4a7c15);
}

/*
 * A hash table of small numbers: the caller's indices, found again by the hash of what they stand
 * for. It holds no keys. The caller compares, so that a key may be anything that lies in a vector
 * of his:
 *
 *	size_t at = 0;
 *	uint32_t i;
 *
 *	while (hash_index_next(&index, hash, &at, &i))
 *		if (entries.at[i].key == key)
 *			return i;
 *	hash_index_add(&index, hash, new_index);
 *
 * Starts zeroed. Keys that were made to collide make a search slow and nothing else.
 */

struct hash_index {
	struct hash_index_slot {
		uint32_t hash, number; /* number + 1; 0: free */
	} *slots;
	size_t n_slots; /* a power of two, never more than half of them used */
	size_t n;
};

/* The next number that was added with this hash; *at is 0 at first and belongs to the search. */
bool hash_index_next(const struct hash_index *index, uint64_t hash, size_t *at, uint32_t *ret);
/* Does not look whether it is there. UINT32_MAX is not a number. */
void hash_index_add(struct hash_index *index, uint64_t hash, uint32_t number);
void hash_index_deinit(struct hash_index *index);
#define _cleanup_hash_index_ _cleanup_(hash_index_deinit)

#endif
