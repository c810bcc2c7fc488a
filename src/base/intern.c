// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/intern.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

enum { INTERN_FIRST_SLOTS = 64 };

/* FNV leaves the low bits of short strings poor; fold the high half in. */
static size_t intern_home(const struct intern *table, const char *bytes, size_t n)
{
	uint64_t hash = hash_bytes(HASH_INIT, bytes, n);

	return (size_t)(hash ^ hash >> 32) & (table->n_slots - 1);
}

/* The slot that holds the string, or the free one where it belongs. */
static uint32_t *intern_slot(const struct intern *table, const char *bytes, size_t n)
{
	size_t at = intern_home(table, bytes, n);

	for (; table->slots[at]; at = (at + 1) & (table->n_slots - 1)) {
		const char *there = table->strings.at[table->slots[at] - 1];

		if (strncmp(there, bytes, n) == 0 && there[n] == '\0')
			break;
	}
	return &table->slots[at];
}

static void intern_grow(struct intern *table)
{
	free(table->slots);
	table->n_slots = table->n_slots ? 2 * table->n_slots : INTERN_FIRST_SLOTS;
	table->slots = xcalloc(table->n_slots, sizeof(*table->slots));
	for (size_t i = 0; i < table->strings.n; i++) {
		const char *string = table->strings.at[i];

		*intern_slot(table, string, strlen(string)) = (uint32_t)i + 1;
	}
}

void intern_init(struct intern *table)
{
	*table = (struct intern){ .strings = VEC_INIT };
	intern_grow(table);
	intern_add_n(table, "", 0);
}

void intern_deinit(struct intern *table)
{
	for (size_t i = 0; i < table->strings.n; i++)
		free(table->strings.at[i]);
	vec_deinit(&table->strings);
	free(table->slots);
	table->slots = NULL;
	table->n_slots = 0;
}

uint32_t intern_add_n(struct intern *table, const char *bytes, size_t n)
{
	n = strnlen(bytes, n);

	uint32_t *slot = intern_slot(table, bytes, n);

	if (*slot)
		return *slot - 1;
	if (2 * (table->strings.n + 1) > table->n_slots) {
		intern_grow(table);
		slot = intern_slot(table, bytes, n);
	}
	vec_push(&table->strings, xstrndup(bytes, n));
	*slot = (uint32_t)table->strings.n;
	return *slot - 1;
}

uint32_t intern_add(struct intern *table, const char *string)
{
	return intern_add_n(table, string, strlen(string));
}

bool intern_find(const struct intern *table, const char *string, uint32_t *ret)
{
	const uint32_t *slot = intern_slot(table, string, strlen(string));

	if (!*slot)
		return false;
	*ret = *slot - 1;
	return true;
}
