/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Snapshots made by hand, thread by thread. */
#ifndef KTSTR_TESTS_CTPROF_MADE_SNAPSHOT_H
#define KTSTR_TESTS_CTPROF_MADE_SNAPSHOT_H

#include "ctprof/snapshot.h"

/* A thread nothing is known of but who it is. */
static inline struct metric_thread_sample *add_thread(struct ctprof_snapshot *snapshot,
						      uint32_t tgid, uint32_t tid,
						      const char *pcomm, const char *comm,
						      const char *cgroup)
{
	struct metric_thread_sample sample = {
		.tid = tid,
		.tgid = tgid,
		.pcomm = intern_add(&snapshot->strings, pcomm),
		.comm = intern_add(&snapshot->strings, comm),
		.cgroup = intern_add(&snapshot->strings, cgroup),
		.cpu_affinity = METRIC_SAMPLE_NO_ENTRY,
		.smaps = METRIC_SAMPLE_NO_ENTRY,
	};

	vec_push(&snapshot->threads, sample);
	return &snapshot->threads.at[snapshot->threads.n - 1];
}

static inline struct procfs_cgroup_stats *add_cgroup(struct ctprof_snapshot *snapshot,
						     const char *path)
{
	struct ctprof_snapshot_cgroup cgroup = { .path = intern_add(&snapshot->strings, path),
						 .stats = { .known = true } };

	vec_push(&snapshot->cgroups, cgroup);
	return &snapshot->cgroups.at[snapshot->cgroups.n - 1].stats;
}

static inline void add_named(struct ctprof_snapshot *snapshot, struct procfs_named_readings *table,
			     const char *name, uint64_t value)
{
	struct procfs_named_reading row = { intern_add(&snapshot->strings, name), value };

	table->known = true;
	vec_push(&table->rows, row);
}

#endif
