/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rows of procfs/cgroup.def: file, merge, show and metric-list follow from them. */
#ifndef KTSTR_CTPROF_CGROUP_ROWS_H
#define KTSTR_CTPROF_CGROUP_ROWS_H

#include "metric/metric.h"
#include "procfs/cgroup.h"

/* What cgroups that share a key are merged to. */
enum ctprof_cgroup_merge {
	CTPROF_CGROUP_MERGE_SUM,     /* saturates; what is known of one is known of all */
	CTPROF_CGROUP_MERGE_LARGEST, /* likewise */
	CTPROF_CGROUP_MERGE_MOST,  /* the largest, no limit above all; unknown as soon as one is */
	CTPROF_CGROUP_MERGE_LEAST, /* the smallest; unknown as soon as one is */
	CTPROF_CGROUP_MERGE_SAME,  /* the value when all have it */
	CTPROF_CGROUP_MERGE_KIND,  /* of memory.stat: bytes the largest, counts the sum */
};

struct ctprof_cgroup_row {
	const char *group, *key; /* in the snapshot file */
	const char *path;	 /* "group.key" */
	enum procfs_cgroup_form form;
	bool is_table; /* struct procfs_named_readings; else struct procfs_reading */
	bool always;
	size_t offset; /* in struct procfs_cgroup_stats */
	enum ctprof_cgroup_merge merge;
	enum metric_section section;
	const char *name; /* as `show` has it */
	enum metric_unit unit;
	const char *file, *description;
};

#define CGROUP_VALUE(...) +1
#define CGROUP_TABLE(...) +1
enum {
	CTPROF_N_CGROUP_ROWS = 0
#include "procfs/cgroup.def"
};

extern const struct ctprof_cgroup_row ctprof_cgroup_rows[CTPROF_N_CGROUP_ROWS];

/* Its place in stats: a struct procfs_named_readings of a table, else a struct procfs_reading. */
static inline void *ctprof_cgroup_row_at(const struct ctprof_cgroup_row *row,
					 const struct procfs_cgroup_stats *stats)
{
	return (char *)(uintptr_t)stats + row->offset;
}

/* Whether a line of memory.stat is a number of bytes now, rather than a count of events. */
bool ctprof_memory_stat_is_gauge(const char *name);
/* Of a line of a table. */
enum metric_unit ctprof_cgroup_row_unit(const struct ctprof_cgroup_row *row, const char *line);

/* A value of a line of pressure. */
struct ctprof_pressure_row {
	const char *name, *description;
	bool is_percent; /* in hundredths; else microseconds */
	size_t offset;	 /* of a uint64_t in struct procfs_pressure_half */
};

enum { CTPROF_N_PRESSURE_ROWS = 4 };
extern const struct ctprof_pressure_row ctprof_pressure_rows[CTPROF_N_PRESSURE_ROWS];

static inline uint64_t *ctprof_pressure_row_at(const struct ctprof_pressure_row *row,
					       const struct procfs_pressure_half *half)
{
	return (uint64_t *)((uintptr_t)half + row->offset);
}

#endif
