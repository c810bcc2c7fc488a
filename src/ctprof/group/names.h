/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The key each thread of one snapshot has. Every distinct name and path is looked at once, however
 * many threads bear it.
 */
#ifndef KTSTR_CTPROF_GROUP_NAMES_H
#define KTSTR_CTPROF_GROUP_NAMES_H

#include "base/hash_index.h"
#include "ctprof/group/group.h"

struct group_names {
	struct group_keys *keys;
	const struct snapshot *snapshot;
	/* By string of the snapshot: string of the keys + 1, 0 when not asked for yet. */
	uint32_t *names, *cgroups;
};

void group_names_init(struct group_names *names, struct group_keys *keys,
		      const struct snapshot *snapshot);
void group_names_deinit(struct group_names *names);
#define _cleanup_group_names_ _cleanup_(group_names_deinit)

struct group_key group_names_key(struct group_names *names, const struct thread_sample *sample);
/* Strings of the keys: of a path of the snapshot, */
uint32_t group_names_cgroup(struct group_names *names, uint32_t path);
/* and of the process of a leader, as memory tables name it. */
uint32_t group_names_smaps(struct group_names *names, const struct thread_sample *leader);
/* A string of the snapshot as it is. */
uint32_t group_names_literal(struct group_names *names, uint32_t string);

/* Distinct keys of groups, numbered from 0 in the order of arrival. Starts zeroed. */
struct key_table {
	VEC(struct group_key) keys;
	struct hash_index index;
};

/* Its number; that of a new key is how many there were before. */
size_t key_table_add(struct key_table *table, const struct group_key *key);
void key_table_deinit(struct key_table *table);
#define _cleanup_key_table_ _cleanup_(key_table_deinit)

#endif
