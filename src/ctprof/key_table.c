// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/group_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

enum { FIRST_SLOTS = 64 };

/* The slot of the key, or the free one where it belongs. */
static uint32_t *slot_of(const struct key_table *table, const struct group_key *key)
{
	uint64_t hash = hash_bytes(HASH_INIT, key, sizeof(*key));
	size_t at = (size_t)(hash ^ hash >> 32) & (table->n_slots - 1);

	for (; table->slots[at]; at = (at + 1) & (table->n_slots - 1)) {
		if (memcmp(&table->keys.at[table->slots[at] - 1], key, sizeof(*key)) == 0)
			break;
	}
	return &table->slots[at];
}

static void grow(struct key_table *table)
{
	free(table->slots);
	table->n_slots = table->n_slots ? 2 * table->n_slots : FIRST_SLOTS;
	table->slots = xcalloc(table->n_slots, sizeof(*table->slots));
	for (size_t i = 0; i < table->keys.n; i++)
		*slot_of(table, &table->keys.at[i]) = (uint32_t)i + 1;
}

size_t key_table_add(struct key_table *table, const struct group_key *key)
{
	uint32_t *slot;

	if (2 * (table->keys.n + 1) > table->n_slots)
		grow(table);
	slot = slot_of(table, key);
	if (!*slot) {
		vec_push(&table->keys, *key);
		*slot = (uint32_t)table->keys.n;
	}
	return *slot - 1;
}

void key_table_deinit(struct key_table *table)
{
	vec_deinit(&table->keys);
	free(table->slots);
	*table = (struct key_table){ 0 };
}
