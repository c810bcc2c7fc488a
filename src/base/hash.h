/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * FNV-1a, 64 bits: names files in caches, and finds keys in base/hash_index.h. Not for input that
 * wants to collide: who finds something by its hash compares what the hash was made of.
 */
#ifndef KTSTR_BASE_HASH_H
#define KTSTR_BASE_HASH_H

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

#endif
