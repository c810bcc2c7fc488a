/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * FNV-1a, 64 bits: names files in caches. Not for strangers' input that wants to collide: who
 * finds a file by its hash compares what the hash was made of.
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

#endif
