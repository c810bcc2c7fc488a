/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A fingerprint of megabytes, eight bytes at a time: two tables of a kernel with the same print are
 * the same. It finds every accident; who can choose all the bytes can make two with one print, and
 * gains wrong names in a view for it, nothing else.
 */
#ifndef KTSTR_KMEM_PRINT_H
#define KTSTR_KMEM_PRINT_H

#include "base/bytes.h"
#include "base/hash.h"

static inline uint64_t kmem_print(struct bytes bytes)
{
	enum { LANES = 4 };
	uint64_t lanes[LANES] = { HASH_INIT, ~HASH_INIT, HASH_INIT << 1, ~HASH_INIT << 1 };
	size_t n = bytes.n / (8 * LANES);

	for (size_t i = 0; i < n; i++) {
		uint64_t words[LANES];

		memcpy(words, bytes.at + 8 * LANES * i, sizeof(words));
		for (size_t k = 0; k < LANES; k++) {
			lanes[k] = (lanes[k] ^ words[k]) * UINT64_C(0x9e3779b97f4a7c15);
			lanes[k] ^= lanes[k] >> 29;
		}
	}
	uint64_t hash = hash_bytes(HASH_INIT, lanes, sizeof(lanes));

	hash = hash_bytes(hash, &bytes.n, sizeof(bytes.n));
	return hash_bytes(hash, bytes.at + 8 * LANES * n, bytes.n - 8 * LANES * n);
}

#endif
