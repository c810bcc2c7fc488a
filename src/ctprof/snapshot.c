// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/snapshot.h"

#include <stdlib.h>
#include <string.h>

void snapshot_init(struct snapshot *snapshot)
{
	*snapshot = (struct snapshot){ .schema_version = SNAPSHOT_SCHEMA_VERSION };
	intern_init(&snapshot->strings);
}

void snapshot_deinit(struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->cpu_lists.n; i++)
		free(snapshot->cpu_lists.at[i].at);
	vec_deinit(&snapshot->cpu_lists);
	hash_index_deinit(&snapshot->cpu_list_index);
	for (size_t i = 0; i < snapshot->smaps.n; i++)
		vec_deinit(&snapshot->smaps.at[i].rows);
	vec_deinit(&snapshot->smaps);
	vec_deinit(&snapshot->threads);
	for (size_t i = 0; i < snapshot->cgroups.n; i++)
		cgroup_stats_deinit(&snapshot->cgroups.at[i].stats);
	vec_deinit(&snapshot->cgroups);
	sched_ext_deinit(&snapshot->sched_ext);
	host_facts_deinit(&snapshot->host);
	intern_deinit(&snapshot->strings);
	*snapshot = (struct snapshot){ 0 };
}

static bool same_ids(const struct cpu_list *list, const uint32_t *ids, size_t n)
{
	return list->n == n && (n == 0 || memcmp(list->at, ids, n * sizeof(*ids)) == 0);
}

uint32_t snapshot_add_cpu_list(struct snapshot *snapshot, const uint32_t *ids, size_t n)
{
	uint64_t hash = n ? hash_bytes(HASH_INIT, ids, n * sizeof(*ids)) : HASH_INIT;
	struct cpu_list list = { .n = n };
	size_t at = 0;
	uint32_t i;

	while (hash_index_next(&snapshot->cpu_list_index, hash, &at, &i))
		if (same_ids(&snapshot->cpu_lists.at[i], ids, n))
			return i;
	if (n) {
		list.at = xcalloc(n, sizeof(*ids));
		memcpy(list.at, ids, n * sizeof(*ids));
	}
	vec_push(&snapshot->cpu_lists, list);
	i = (uint32_t)snapshot->cpu_lists.n - 1;
	hash_index_add(&snapshot->cpu_list_index, hash, i);
	return i;
}
