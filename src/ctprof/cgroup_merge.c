// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/cgroup_merge.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ctprof/group_names.h"
#include "ctprof/named_merge.h"

bool memory_stat_is_gauge(const char *name)
{
	static const char *const gauges[] = {
		"anon",
		"file",
		"kernel",
		"kernel_stack",
		"pagetables",
		"sec_pagetables",
		"percpu",
		"sock",
		"vmalloc",
		"shmem",
		"zswap",
		"zswapped",
		"file_mapped",
		"file_dirty",
		"file_writeback",
		"swapcached",
		"anon_thp",
		"file_thp",
		"shmem_thp",
		"inactive_anon",
		"active_anon",
		"inactive_file",
		"active_file",
		"unevictable",
		"slab",
		"slab_reclaimable",
		"slab_unreclaimable",
		"hugetlb",
	};

	for (size_t i = 0; i < ARRAY_SIZE(gauges); i++) {
		if (strcmp(gauges[i], name) == 0)
			return true;
	}
	return false;
}

/* What is known of one is known of both. */
static void merge_reading(struct reading *into, const struct reading *other,
			  uint64_t (*merge)(uint64_t a, uint64_t b))
{
	if (other->known)
		*into = (struct reading){ true, into->known ? merge(into->value, other->value)
							    : other->value };
}

static void merge_weight(struct reading *into, const struct reading *other)
{
	into->known = into->known && other->known;
	into->value = into->known ? larger_u64(into->value, other->value) : 0;
}

/* No limit is larger than any, and smaller than none. */
static void merge_limit(struct limit *into, const struct limit *other, bool smallest)
{
	uint64_t a = into->state == LIMIT_NONE ? UINT64_MAX : into->value;
	uint64_t b = other->state == LIMIT_NONE ? UINT64_MAX : other->value;

	if (into->state == LIMIT_UNKNOWN || other->state == LIMIT_UNKNOWN)
		*into = (struct limit){ .state = LIMIT_UNKNOWN };
	else if (smallest ? b < a : b > a)
		*into = *other;
}

static void merge_table(struct named_readings *into, const struct named_readings *other,
			const struct intern *gauges_in)
{
	into->known = into->known || other->known;
	for (size_t i = 0; i < other->rows.n; i++) {
		const struct named_reading *from = &other->rows.at[i];
		bool gauge = gauges_in && memory_stat_is_gauge(intern_text(gauges_in, from->name));

		named_readings_merge(into, from->name, from->value, i,
				     gauge ? larger_u64 : add_saturating_u64);
	}
}

static void merge_half(struct pressure_half *into, const struct pressure_half *other)
{
	into->known = into->known || other->known;
	into->avg10 = (uint16_t)larger_u64(into->avg10, other->avg10);
	into->avg60 = (uint16_t)larger_u64(into->avg60, other->avg60);
	into->avg300 = (uint16_t)larger_u64(into->avg300, other->avg300);
	into->total_usec = add_saturating_u64(into->total_usec, other->total_usec);
}

static void merge_cpu(struct cgroup_stats *into, const struct cgroup_stats *other)
{
	merge_reading(&into->cpu.usage_usec, &other->cpu.usage_usec, add_saturating_u64);
	merge_reading(&into->cpu.user_usec, &other->cpu.user_usec, add_saturating_u64);
	merge_reading(&into->cpu.system_usec, &other->cpu.system_usec, add_saturating_u64);
	merge_reading(&into->cpu.nr_periods, &other->cpu.nr_periods, add_saturating_u64);
	merge_reading(&into->cpu.nr_throttled, &other->cpu.nr_throttled, add_saturating_u64);
	merge_reading(&into->cpu.throttled_usec, &other->cpu.throttled_usec, add_saturating_u64);
	merge_reading(&into->cpu.nr_bursts, &other->cpu.nr_bursts, add_saturating_u64);
	merge_reading(&into->cpu.burst_usec, &other->cpu.burst_usec, add_saturating_u64);
	merge_limit(&into->cpu.max_quota_us, &other->cpu.max_quota_us, false);
	merge_reading(&into->cpu.max_period_us, &other->cpu.max_period_us, larger_u64);
	merge_weight(&into->cpu.weight, &other->cpu.weight);
	into->cpu.weight_nice_known = into->cpu.weight_nice_known && other->cpu.weight_nice_known;
	if (other->cpu.weight_nice > into->cpu.weight_nice)
		into->cpu.weight_nice = other->cpu.weight_nice;
}

static void merge_memory(struct cgroup_stats *into, const struct cgroup_stats *other,
			 const struct intern *strings)
{
	merge_reading(&into->memory.current, &other->memory.current, larger_u64);
	merge_reading(&into->memory.peak, &other->memory.peak, larger_u64);
	merge_reading(&into->memory.swap_current, &other->memory.swap_current, larger_u64);
	merge_limit(&into->memory.max, &other->memory.max, false);
	merge_limit(&into->memory.high, &other->memory.high, false);
	merge_limit(&into->memory.low, &other->memory.low, true);
	merge_limit(&into->memory.min, &other->memory.min, true);
	merge_table(&into->memory.stat, &other->memory.stat, strings);
	merge_table(&into->memory.events, &other->memory.events, NULL);
}

static void merge_stats(struct cgroup_stats *into, const struct cgroup_stats *other,
			const struct intern *strings)
{
	merge_cpu(into, other);
	merge_memory(into, other, strings);
	merge_reading(&into->pids.current, &other->pids.current, add_saturating_u64);
	merge_reading(&into->pids.peak, &other->pids.peak, larger_u64);
	merge_limit(&into->pids.max, &other->pids.max, false);
	merge_table(&into->io.stat, &other->io.stat, NULL);
	if (into->cpuset_effective != other->cpuset_effective)
		into->cpuset_effective = 0;
	for (int i = 0; i < N_PRESSURE_RESOURCES; i++) {
		struct pressure_file *file = &into->pressure.resources[i];
		const struct pressure_file *from = &other->pressure.resources[i];

		file->known = file->known || from->known;
		merge_half(&file->some, &from->some);
		merge_half(&file->full, &from->full);
	}
}

static struct named_readings table_copy(const struct named_readings *table)
{
	struct named_readings copy = { .known = table->known };

	for (size_t i = 0; i < table->rows.n; i++)
		vec_push(&copy.rows, table->rows.at[i]);
	return copy;
}

static struct cgroup_stats stats_copy(const struct cgroup_stats *stats)
{
	struct cgroup_stats copy = *stats;

	copy.memory.stat = table_copy(&stats->memory.stat);
	copy.memory.events = table_copy(&stats->memory.events);
	copy.io.stat = table_copy(&stats->io.stat);
	return copy;
}

/* What the walk over the cgroups of a snapshot needs. */
struct merging {
	const struct snapshot *snapshot;
	struct group_names names;
	/* By string of the snapshot: whether it is the path of a cgroup that could be read. */
	bool *readable;
	/* By string of the keys: index of its row + 1. */
	VEC(size_t) row_of;
	struct merged_cgroups *into;
};

static bool has_readable_ancestor(struct merging *m, const char *path, uint32_t key)
{
	_cleanup_free_ char *above = xstrdup(path);
	char *slash;

	while ((slash = strrchr(above, '/'))) {
		uint32_t id;

		/* The root is "/", not "". */
		slash[slash == above] = '\0';
		if (strcmp(above, path) != 0 && intern_find(&m->snapshot->strings, above, &id) &&
		    m->readable[id] && group_names_cgroup(&m->names, id) == key)
			return true;
		if (slash == above)
			break;
	}
	return false;
}

static struct merged_cgroup *row_for(struct merging *m, uint32_t key)
{
	while (m->row_of.n <= key)
		vec_push(&m->row_of, 0);
	if (!m->row_of.at[key]) {
		vec_push(&m->into->rows, (struct merged_cgroup){ .key = key });
		m->row_of.at[key] = m->into->rows.n;
	}
	return &m->into->rows.at[m->row_of.at[key] - 1];
}

static void merge_cgroup(struct merging *m, const struct snapshot_cgroup *cgroup)
{
	uint32_t key = group_names_cgroup(&m->names, cgroup->path);
	struct merged_cgroup *row = row_for(m, key);

	row->members++;
	if (!cgroup->stats.known)
		return;
	row->measured++;
	if (has_readable_ancestor(m, intern_text(&m->snapshot->strings, cgroup->path), key)) {
		row->nested++;
		return;
	}
	merge_reading(&row->memory_current_total, &cgroup->stats.memory.current,
		      add_saturating_u64);
	/* The first is copied: nothing that it lacks may look like a 0 that the next is added to.
	 */
	if (row->stats.known)
		merge_stats(&row->stats, &cgroup->stats, &m->snapshot->strings);
	else
		row->stats = stats_copy(&cgroup->stats);
}

static int by_key(const void *a_, const void *b_, void *texts)
{
	const struct merged_cgroup *a = a_, *b = b_;

	return strcmp(intern_text(texts, a->key), intern_text(texts, b->key));
}

void cgroups_merge(struct group_keys *keys, const struct snapshot *snapshot,
		   struct merged_cgroups *ret)
{
	struct merging m = { .snapshot = snapshot, .into = ret };

	*ret = (struct merged_cgroups){ 0 };
	group_names_init(&m.names, keys, snapshot);
	m.readable = xcalloc(snapshot->strings.strings.n, sizeof(*m.readable));
	for (size_t i = 0; i < snapshot->cgroups.n; i++)
		m.readable[snapshot->cgroups.at[i].path] = snapshot->cgroups.at[i].stats.known;
	for (size_t i = 0; i < snapshot->cgroups.n; i++)
		merge_cgroup(&m, &snapshot->cgroups.at[i]);
	if (ret->rows.n)
		qsort_r(ret->rows.at, ret->rows.n, sizeof(*ret->rows.at), by_key,
			(void *)group_keys_texts(keys));
	free(m.readable);
	vec_deinit(&m.row_of);
	group_names_deinit(&m.names);
}

void merged_cgroups_deinit(struct merged_cgroups *cgroups)
{
	for (size_t i = 0; i < cgroups->rows.n; i++) {
		struct cgroup_stats *stats = &cgroups->rows.at[i].stats;

		vec_deinit(&stats->memory.stat.rows);
		vec_deinit(&stats->memory.events.rows);
		vec_deinit(&stats->io.stat.rows);
	}
	vec_deinit(&cgroups->rows);
}
