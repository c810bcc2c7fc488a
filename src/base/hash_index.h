/* SPDX-License-Identifier: LGPL-2.1-or-later */
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
#ifndef KTSTR_BASE_HASH_INDEX_H
#define KTSTR_BASE_HASH_INDEX_H

#include "base/cleanup.h"
#include "base/hash.h"

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
