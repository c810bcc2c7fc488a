// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kmem/fingerprint.h"

#include "base/alloc.h"
#include "base/hash.h"

/* Eight bytes at a time in several lanes: a byte at a time costs more than reading them. */
enum { LANES = 4, CHUNK_BYTES = 1 << 16 };
_Static_assert(CHUNK_BYTES % (8 * LANES) == 0, "only the last chunk has a rest");

static inline void add_words(uint64_t *lanes, const uint64_t *words)
{
	for (size_t k = 0; k < LANES; k++) {
		lanes[k] = (lanes[k] ^ words[k]) * UINT64_C(0x9e3779b97f4a7c15);
		lanes[k] ^= lanes[k] >> 29;
	}
}

static void add(uint64_t *lanes, const uint8_t *at, size_t n)
{
	uint64_t words[LANES] = { 0 };

	/* A copy of a length that the compiler knows is none at all. */
	for (; n >= sizeof(words); n -= sizeof(words), at += sizeof(words)) {
		memcpy(words, at, sizeof(words));
		add_words(lanes, words);
	}
	if (!n)
		return;
	memset(words, 0, sizeof(words));
	memcpy(words, at, n);
	add_words(lanes, words);
}

struct error *kmem_fingerprint(struct kmem_space *space, uint64_t address, uint64_t n,
			       const char *what, uint64_t *ret)
{
	_cleanup_free_ uint8_t *chunk = xcalloc(CHUNK_BYTES, 1);
	uint64_t lanes[LANES] = { HASH_INIT, ~HASH_INIT, HASH_INIT << 1, ~HASH_INIT << 1 };

	for (uint64_t done = 0; done < n;) {
		size_t here = n - done < CHUNK_BYTES ? (size_t)(n - done) : CHUNK_BYTES;
		struct error *err = kmem_read_exact(space, address + done, chunk, here, what);

		if (err)
			return err;
		add(lanes, chunk, here);
		done += here;
	}
	*ret = hash_bytes(hash_bytes(HASH_INIT, lanes, sizeof(lanes)), &n, sizeof(n));
	return NULL;
}
