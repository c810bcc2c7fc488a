// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/group/names.h"

#include <string.h>

size_t ctprof_key_table_add(struct ctprof_key_table *table, const struct ctprof_group_key *key)
{
	uint64_t hash = hash_bytes(HASH_INIT, key, sizeof(*key));
	size_t at = 0;
	uint32_t i;

	while (hash_index_next(&table->index, hash, &at, &i))
		if (memcmp(&table->keys.at[i], key, sizeof(*key)) == 0)
			return i;
	hash_index_add(&table->index, hash, (uint32_t)table->keys.n);
	vec_push(&table->keys, *key);
	return table->keys.n - 1;
}

void ctprof_key_table_deinit(struct ctprof_key_table *table)
{
	vec_deinit(&table->keys);
	hash_index_deinit(&table->index);
}
