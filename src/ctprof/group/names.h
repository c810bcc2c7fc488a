/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The key each thread of one snapshot has. Every distinct name and path is looked at once, however
 * many threads bear it.
 */
#ifndef KTSTR_CTPROF_GROUP_NAMES_H
#define KTSTR_CTPROF_GROUP_NAMES_H

#include "base/hash.h"
#include "ctprof/group/group.h"

struct ctprof_group_names {
	struct ctprof_group_keys *keys;
	const struct ctprof_snapshot *snapshot;
	/* By string of the snapshot: string of the keys + 1, 0 when not asked for yet. */
	uint32_t *names, *cgroups;
};

void ctprof_group_names_init(struct ctprof_group_names *names, struct ctprof_group_keys *keys,
			     const struct ctprof_snapshot *snapshot);
void ctprof_group_names_deinit(struct ctprof_group_names *names);
#define _cleanup_ctprof_group_names_ _cleanup_(ctprof_group_names_deinit)

struct ctprof_group_key ctprof_group_names_key(struct ctprof_group_names *names,
					       const struct metric_thread_sample *sample);
/* Strings of the keys: of a path of the snapshot, */
uint32_t ctprof_group_names_cgroup(struct ctprof_group_names *names, uint32_t path);
/* and of the process of a leader, as memory tables name it. */
uint32_t ctprof_group_names_smaps(struct ctprof_group_names *names,
				  const struct metric_thread_sample *leader);
/* A string of the snapshot as it is. */
uint32_t ctprof_group_names_literal(struct ctprof_group_names *names, uint32_t string);

/* Distinct keys of groups, numbered from 0 in the order of arrival. Starts zeroed. */
struct ctprof_key_table {
	VEC(struct ctprof_group_key) keys;
	struct hash_index index;
};

/* Its number; that of a new key is how many there were before. */
size_t ctprof_key_table_add(struct ctprof_key_table *table, const struct ctprof_group_key *key);
void ctprof_key_table_deinit(struct ctprof_key_table *table);
#define _cleanup_ctprof_key_table_ _cleanup_(ctprof_key_table_deinit)

#endif
