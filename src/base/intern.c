// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/intern.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

void intern_init(struct intern *table)
{
	*table = (struct intern){ .strings = VEC_INIT };
	intern_add_n(table, "", 0);
}

void intern_deinit(struct intern *table)
{
	for (size_t i = 0; i < table->strings.n; i++)
		free(table->strings.at[i]);
	vec_deinit(&table->strings);
	hash_index_deinit(&table->index);
}

static bool find(const struct intern *table, uint64_t hash, const char *bytes, size_t n,
		 uint32_t *ret)
{
	size_t at = 0;
	uint32_t id;

	while (hash_index_next(&table->index, hash, &at, &id)) {
		const char *there = table->strings.at[id];

		if (strncmp(there, bytes, n) == 0 && there[n] == '\0') {
			*ret = id;
			return true;
		}
	}
	return false;
}

uint32_t intern_add_n(struct intern *table, const char *bytes, size_t n)
{
	uint64_t hash;
	uint32_t id;

	n = strnlen(bytes, n);
	hash = hash_bytes(HASH_INIT, bytes, n);
	if (find(table, hash, bytes, n, &id))
		return id;
	id = (uint32_t)table->strings.n;
	vec_push(&table->strings, xstrndup(bytes, n));
	hash_index_add(&table->index, hash, id);
	return id;
}

uint32_t intern_add(struct intern *table, const char *string)
{
	return intern_add_n(table, string, strlen(string));
}

bool intern_find(const struct intern *table, const char *string, uint32_t *ret)
{
	size_t n = strlen(string);

	return find(table, hash_bytes(HASH_INIT, string, n), string, n, ret);
}
