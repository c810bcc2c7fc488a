/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A table in which every distinct string stands once and has a small number. Ids count from 0 in
 * the order of arrival and hold as long as the table. Id 0 is always "".
 */
#ifndef KTSTR_BASE_INTERN_H
#define KTSTR_BASE_INTERN_H

#include "base/hash.h"
#include "base/vec.h"

struct intern {
	VEC(char *) strings;
	struct hash_index index;
};

void intern_init(struct intern *table);
void intern_deinit(struct intern *table);

uint32_t intern_add_n(struct intern *table, const char *bytes, size_t n);
uint32_t intern_add(struct intern *table, const char *string);
/* False when the string is not in the table. */
bool intern_find(const struct intern *table, const char *string, uint32_t *ret);
/* Borrowed; holds as long as the table. */
static inline const char *intern_text(const struct intern *table, uint32_t id)
{
	return table->strings.at[id];
}

#define _cleanup_intern_ _cleanup_(intern_deinit)

#endif
