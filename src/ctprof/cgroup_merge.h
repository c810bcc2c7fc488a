/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cgroups that share a key made one:
 *
 *	counters    usage, throttling, memory.events, io.stat, totals of pressure and what
 *	            memory.stat counts: added, saturating
 *	tasks       pids.current: added
 *	gauges      memory.current, memory.swap.current, what memory.stat measures, averages of
 *	            pressure: the largest; memory.current is added up beside it
 *	peaks       memory.peak, pids.peak: the largest
 *	limits      cpu.max, cpu.weight, memory.max, memory.high, pids.max: the largest, none
 *	            larger than any; unknown as soon as one is
 *	floors      memory.low, memory.min: the smallest; unknown as soon as one is
 *	cpuset      the text when all have the same
 *
 * A v2 cgroup counts what happens below it. A member below another member is therefore contained
 * in that one's values and left out here.
 */
#ifndef KTSTR_CTPROF_CGROUP_MERGE_H
#define KTSTR_CTPROF_CGROUP_MERGE_H

#include "ctprof/group.h"

struct merged_cgroup {
	uint32_t key;	  /* a string of the keys */
	uint32_t members; /* cgroups with this key, of which could be read: */
	uint32_t measured;
	uint32_t nested; /* of those, below another member */
	struct reading memory_current_total;
	struct cgroup_stats stats; /* names are strings of the snapshot */
};

struct merged_cgroups {
	VEC(struct merged_cgroup) rows; /* by text of the key */
};

void cgroups_merge(struct group_keys *keys, const struct snapshot *snapshot,
		   struct merged_cgroups *ret);
void merged_cgroups_deinit(struct merged_cgroups *cgroups);
#define _cleanup_merged_cgroups_ _cleanup_(merged_cgroups_deinit)

/* Whether a line of memory.stat is a number of bytes now, rather than a count of events. */
bool memory_stat_is_gauge(const char *name);

#endif
