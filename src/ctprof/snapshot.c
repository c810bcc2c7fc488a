// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum { CPU_LIST_FIRST_SLOTS = 64 };

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
	free(snapshot->cpu_list_index.slots);
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

/* The slot that holds the list, or the free one where it belongs. */
static uint32_t *cpu_list_slot(const struct snapshot *snapshot, const uint32_t *ids, size_t n)
{
	uint64_t hash = n ? hash_bytes(HASH_INIT, ids, n * sizeof(*ids)) : HASH_INIT;
	size_t mask = snapshot->cpu_list_index.n_slots - 1;
	uint32_t *slots = snapshot->cpu_list_index.slots;
	size_t at = (size_t)(hash ^ hash >> 32) & mask;

	while (slots[at] && !same_ids(&snapshot->cpu_lists.at[slots[at] - 1], ids, n))
		at = (at + 1) & mask;
	return &slots[at];
}

static void grow_index(struct snapshot *snapshot)
{
	size_t n = snapshot->cpu_list_index.n_slots;

	n = n ? 2 * n : CPU_LIST_FIRST_SLOTS;
	free(snapshot->cpu_list_index.slots);
	snapshot->cpu_list_index.slots = xcalloc(n, sizeof(uint32_t));
	snapshot->cpu_list_index.n_slots = n;
	for (size_t i = 0; i < snapshot->cpu_lists.n; i++) {
		const struct cpu_list *list = &snapshot->cpu_lists.at[i];

		*cpu_list_slot(snapshot, list->at, list->n) = (uint32_t)i + 1;
	}
}

uint32_t snapshot_add_cpu_list(struct snapshot *snapshot, const uint32_t *ids, size_t n)
{
	struct cpu_list list = { .n = n };
	uint32_t *slot;

	if (2 * (snapshot->cpu_lists.n + 1) > snapshot->cpu_list_index.n_slots)
		grow_index(snapshot);
	slot = cpu_list_slot(snapshot, ids, n);
	if (*slot)
		return *slot - 1;
	if (n) {
		list.at = xcalloc(n, sizeof(*ids));
		memcpy(list.at, ids, n * sizeof(*ids));
	}
	vec_push(&snapshot->cpu_lists, list);
	*slot = (uint32_t)snapshot->cpu_lists.n;
	return *slot - 1;
}
