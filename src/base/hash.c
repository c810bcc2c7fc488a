// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/hash.h"

#include <stdlib.h>

#include "base/alloc.h"

enum { FIRST_SLOTS = 64 };

/* hash_bytes() leaves the low bits of short keys poor: the high half is folded in. */
static uint32_t fold(uint64_t hash)
{
	return (uint32_t)(hash ^ hash >> 32);
}

bool hash_index_next(const struct hash_index *index, uint64_t hash, size_t *at, uint32_t *ret)
{
	uint32_t home = fold(hash);

	for (; index->n_slots; (*at)++) {
		const struct hash_index_slot *slot =
			&index->slots[(home + *at) & (index->n_slots - 1)];

		if (!slot->number)
			break;
		if (slot->hash == home) {
			*ret = slot->number - 1;
			(*at)++;
			return true;
		}
	}
	return false;
}

static void put(struct hash_index *index, struct hash_index_slot slot)
{
	size_t at = slot.hash & (index->n_slots - 1);

	while (index->slots[at].number)
		at = (at + 1) & (index->n_slots - 1);
	index->slots[at] = slot;
}

static void grow(struct hash_index *index)
{
	struct hash_index_slot *old = index->slots;
	size_t n_old = index->n_slots;

	index->n_slots = n_old ? 2 * n_old : FIRST_SLOTS;
	index->slots = xcalloc(index->n_slots, sizeof(*index->slots));
	for (size_t i = 0; i < n_old; i++)
		if (old[i].number)
			put(index, old[i]);
	free(old);
}

void hash_index_add(struct hash_index *index, uint64_t hash, uint32_t number)
{
	if (2 * (index->n + 1) > index->n_slots)
		grow(index);
	put(index, (struct hash_index_slot){ fold(hash), number + 1 });
	index->n++;
}

void hash_index_deinit(struct hash_index *index)
{
	free(index->slots);
	*index = (struct hash_index){ 0 };
}
