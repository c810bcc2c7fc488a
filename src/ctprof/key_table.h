/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Distinct keys of groups, numbered from 0 in the order of arrival. Starts zeroed. */
#ifndef KTSTR_CTPROF_KEY_TABLE_H
#define KTSTR_CTPROF_KEY_TABLE_H

#include "ctprof/group.h"

struct key_table {
	VEC(struct group_key) keys;
	uint32_t *slots; /* index + 1; 0 is free */
	size_t n_slots;	 /* a power of two, never more than half full */
};

/* Its number; that of a new key is how many there were before. */
size_t key_table_add(struct key_table *table, const struct group_key *key);
void key_table_deinit(struct key_table *table);
#define _cleanup_key_table_ _cleanup_(key_table_deinit)

#endif
