/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cgroups that share a key made one, by the column `merge` of procfs/cgroup.def; averages of
 * pressure become the largest, totals are added. memory.current is added up beside the largest.
 *
 * A v2 cgroup counts what happens below it. A member below another member is therefore contained
 * in that one's values and left out here.
 */
#ifndef KTSTR_CTPROF_GROUP_CGROUP_MERGE_H
#define KTSTR_CTPROF_GROUP_CGROUP_MERGE_H

#include "ctprof/group/group.h"

struct ctprof_merged_cgroup {
	uint32_t key;	  /* a string of the keys */
	uint32_t members; /* cgroups with this key, of which could be read: */
	uint32_t measured;
	uint32_t nested; /* of those, below another member */
	struct procfs_reading memory_current_total;
	struct procfs_cgroup_stats stats; /* names are strings of the snapshot */
};

struct ctprof_merged_cgroups {
	VEC(struct ctprof_merged_cgroup) rows; /* by text of the key */
};

void ctprof_cgroups_merge(struct ctprof_group_keys *keys, const struct ctprof_snapshot *snapshot,
			  struct ctprof_merged_cgroups *ret);
void ctprof_merged_cgroups_deinit(struct ctprof_merged_cgroups *cgroups);
#define _cleanup_ctprof_merged_cgroups_ _cleanup_(ctprof_merged_cgroups_deinit)

#endif
