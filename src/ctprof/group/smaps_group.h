/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Memory of processes by kind, added up over processes that share a key: the pattern of the
 * process's name, or name[pid] where names are taken as they are. Pages that processes share are
 * counted in each of them, except in Pss.
 */
#ifndef KTSTR_CTPROF_GROUP_SMAPS_GROUP_H
#define KTSTR_CTPROF_GROUP_SMAPS_GROUP_H

#include "ctprof/group/group.h"

struct ctprof_smaps_group {
	struct ctprof_group_key key; /* cgroup only on the axis `all`; process */
	/* What to show for the process: its name where all have the same, else as in the key. */
	uint32_t shown_as;
	uint32_t processes;
	struct procfs_named_readings bytes; /* names are strings of the snapshot */
};

struct ctprof_smaps_groups {
	VEC(struct ctprof_smaps_group) rows; /* most Rss first, then most Pss, then by key */
};

/* Leaders for which wanted() is false are left out; NULL wants all. */
void ctprof_smaps_groups_make(struct ctprof_group_keys *keys,
			      const struct ctprof_snapshot *snapshot,
			      bool (*wanted)(const struct metric_thread_sample *sample, void *arg),
			      void *arg, struct ctprof_smaps_groups *ret);
void ctprof_smaps_groups_deinit(struct ctprof_smaps_groups *groups);
#define _cleanup_ctprof_smaps_groups_ _cleanup_(ctprof_smaps_groups_deinit)

#endif
