// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/walk/thread.h"

#include <string.h>

#include "procfs/reading.h"

void ctprof_walk_tables_init(struct ctprof_walk_tables *tables, struct ctprof_snapshot *snapshot)
{
	*tables = (struct ctprof_walk_tables){ .snapshot = snapshot };
	pthread_mutex_init(&tables->lock, NULL);
}

void ctprof_walk_tables_deinit(struct ctprof_walk_tables *tables)
{
	vec_deinit(&tables->smaps.rows);
	pthread_mutex_destroy(&tables->lock);
}

uint32_t ctprof_walk_tables_add_string(struct ctprof_walk_tables *tables, struct slice text)
{
	uint32_t id;

	pthread_mutex_lock(&tables->lock);
	id = intern_add_n(&tables->snapshot->strings, text.at, text.n);
	pthread_mutex_unlock(&tables->lock);
	return id;
}

uint32_t ctprof_walk_tables_add_cpus(struct ctprof_walk_tables *tables,
				     const struct procfs_cpu_ids *ids)
{
	uint32_t id;

	pthread_mutex_lock(&tables->lock);
	id = ctprof_snapshot_add_cpu_list(tables->snapshot, ids->ids.at, ids->ids.n);
	pthread_mutex_unlock(&tables->lock);
	return id;
}

/* With no more memory than the rows need. */
static uint32_t keep(struct ctprof_snapshot *snapshot, const struct procfs_named_readings *smaps)
{
	struct procfs_named_readings kept = { .known = true };
	size_t n = smaps->rows.n;

	kept.rows.at = xcalloc(n, sizeof(*kept.rows.at));
	memcpy(kept.rows.at, smaps->rows.at, n * sizeof(*kept.rows.at));
	kept.rows.n = kept.rows.capacity = n;
	vec_push(&snapshot->smaps, kept);
	return (uint32_t)snapshot->smaps.n - 1;
}

bool ctprof_walk_tables_add_smaps(struct ctprof_walk_tables *tables, const char *text, size_t n,
				  uint32_t *ret)
{
	bool sense;

	pthread_mutex_lock(&tables->lock);
	sense = procfs_smaps_rollup_parse(text, n, &tables->snapshot->strings, &tables->smaps);
	if (sense)
		*ret = keep(tables->snapshot, &tables->smaps);
	pthread_mutex_unlock(&tables->lock);
	return sense;
}
