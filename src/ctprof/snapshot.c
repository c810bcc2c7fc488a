// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/snapshot.h"

#include <stdlib.h>
#include <string.h>

#define WORD_(id, word, ...) word,
const char *const ctprof_reason_words[] = { CTPROF_REASONS(WORD_) };
const char *const ctprof_path_words[] = { CTPROF_PATHS(WORD_) };
#undef WORD_

void ctprof_snapshot_init(struct ctprof_snapshot *snapshot)
{
	*snapshot = (struct ctprof_snapshot){ .schema_version = CTPROF_SNAPSHOT_SCHEMA_VERSION };
	intern_init(&snapshot->strings);
}

void ctprof_snapshot_deinit(struct ctprof_snapshot *snapshot)
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
		procfs_cgroup_stats_deinit(&snapshot->cgroups.at[i].stats);
	vec_deinit(&snapshot->cgroups);
	procfs_sched_ext_deinit(&snapshot->sched_ext);
	host_facts_deinit(&snapshot->host);
	intern_deinit(&snapshot->strings);
	*snapshot = (struct ctprof_snapshot){ 0 };
}

static bool same_ids(const struct ctprof_cpu_list *list, const uint32_t *ids, size_t n)
{
	return list->n == n && (n == 0 || memcmp(list->at, ids, n * sizeof(*ids)) == 0);
}

uint32_t ctprof_snapshot_add_cpu_list(struct ctprof_snapshot *snapshot, const uint32_t *ids,
				      size_t n)
{
	uint64_t hash = n ? hash_bytes(HASH_INIT, ids, n * sizeof(*ids)) : HASH_INIT;
	struct ctprof_cpu_list list = { .n = n };
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

static int by_path(const void *a, const void *b, void *strings)
{
	return strcmp(intern_text(strings, ((const struct ctprof_snapshot_cgroup *)a)->path),
		      intern_text(strings, ((const struct ctprof_snapshot_cgroup *)b)->path));
}

void ctprof_snapshot_sort_cgroups(struct ctprof_snapshot *snapshot)
{
	if (snapshot->cgroups.n)
		qsort_r(snapshot->cgroups.at, snapshot->cgroups.n, sizeof(*snapshot->cgroups.at),
			by_path, &snapshot->strings);
}
