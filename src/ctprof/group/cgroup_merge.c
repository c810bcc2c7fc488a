// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/group/group.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ctprof/cgroup_rows.h"
#include "ctprof/group/names.h"

static void merge_reading(struct procfs_reading *into, const struct procfs_reading *other,
			  const struct ctprof_cgroup_row *row)
{
	uint64_t a = into->unlimited ? UINT64_MAX : into->value;
	uint64_t b = other->unlimited ? UINT64_MAX : other->value;
	bool is_larger = row->form == PROCFS_CGROUP_FORM_NICE ? (int64_t)b > (int64_t)a : b > a;

	switch (row->merge) {
	case CTPROF_CGROUP_MERGE_SUM:
	case CTPROF_CGROUP_MERGE_LARGEST:
		if (other->known &&
		    (!into->known || (row->merge == CTPROF_CGROUP_MERGE_LARGEST && is_larger)))
			*into = *other;
		else if (other->known && row->merge == CTPROF_CGROUP_MERGE_SUM)
			into->value = add_saturating_u64(a, b);
		break;
	case CTPROF_CGROUP_MERGE_MOST:
	case CTPROF_CGROUP_MERGE_LEAST:
		if (!into->known || !other->known)
			*into = (struct procfs_reading){ 0 };
		else if (row->merge == CTPROF_CGROUP_MERGE_MOST ? is_larger : b < a)
			*into = *other;
		break;
	default:
		if (a != b)
			*into = (struct procfs_reading){ 0 };
	}
}

static void merge_table(struct procfs_named_readings *into,
			const struct procfs_named_readings *other,
			const struct ctprof_cgroup_row *row, const struct intern *strings)
{
	into->known = into->known || other->known;
	for (size_t i = 0; i < other->rows.n; i++) {
		const struct procfs_named_reading *from = &other->rows.at[i];
		bool gauge = row->merge == CTPROF_CGROUP_MERGE_KIND &&
			     ctprof_memory_stat_is_gauge(intern_text(strings, from->name));

		procfs_named_readings_merge(into, from->name, from->value, i,
					    gauge ? procfs_larger_u64 : add_saturating_u64);
	}
}

static void merge_half(struct procfs_pressure_half *into, const struct procfs_pressure_half *other)
{
	into->known = into->known || other->known;
	for (size_t i = 0; i < CTPROF_N_PRESSURE_ROWS; i++) {
		const struct ctprof_pressure_row *row = &ctprof_pressure_rows[i];
		uint64_t *value = ctprof_pressure_row_at(row, into),
			 more = *ctprof_pressure_row_at(row, other);

		*value = row->is_percent ? procfs_larger_u64(*value, more)
					 : add_saturating_u64(*value, more);
	}
}

static void merge_stats(struct procfs_cgroup_stats *into, const struct procfs_cgroup_stats *other,
			const struct intern *strings)
{
	for (size_t i = 0; i < CTPROF_N_CGROUP_ROWS; i++) {
		const struct ctprof_cgroup_row *row = &ctprof_cgroup_rows[i];
		void *to = ctprof_cgroup_row_at(row, into),
		     *from = ctprof_cgroup_row_at(row, other);

		if (row->is_table)
			merge_table(to, from, row, strings);
		else
			merge_reading(to, from, row);
	}
	for (int i = 0; i < PROCFS_N_PRESSURE_RESOURCES; i++) {
		struct procfs_pressure_file *file = &into->pressure.resources[i];
		const struct procfs_pressure_file *from = &other->pressure.resources[i];

		file->known = file->known || from->known;
		for (int h = 0; h < PROCFS_N_PRESSURE_HALVES; h++)
			merge_half(&file->half[h], &from->half[h]);
	}
}

static struct procfs_cgroup_stats stats_copy(const struct procfs_cgroup_stats *stats)
{
	struct procfs_cgroup_stats copy = *stats;

	for (size_t i = 0; i < CTPROF_N_CGROUP_ROWS; i++) {
		const struct procfs_named_readings *from = ctprof_cgroup_row_at(
			&ctprof_cgroup_rows[i], stats);
		struct procfs_named_readings table = { 0 };

		if (!ctprof_cgroup_rows[i].is_table)
			continue;
		table.known = from->known;
		for (size_t k = 0; k < from->rows.n; k++)
			vec_push(&table.rows, from->rows.at[k]);
		*(struct procfs_named_readings *)ctprof_cgroup_row_at(&ctprof_cgroup_rows[i],
								      &copy) = table;
	}
	return copy;
}

/* What the walk over the cgroups of a snapshot needs. */
struct merging {
	const struct ctprof_snapshot *snapshot;
	struct ctprof_group_names names;
	/* By string of the snapshot: whether it is the path of a cgroup that could be read. */
	bool *readable;
	/* By string of the keys: index of its row + 1. */
	VEC(size_t) row_of;
	struct ctprof_merged_cgroups *into;
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
		    m->readable[id] && ctprof_group_names_cgroup(&m->names, id) == key)
			return true;
		if (slash == above)
			break;
	}
	return false;
}

static struct ctprof_merged_cgroup *row_for(struct merging *m, uint32_t key)
{
	while (m->row_of.n <= key)
		vec_push(&m->row_of, 0);
	if (!m->row_of.at[key]) {
		vec_push(&m->into->rows, (struct ctprof_merged_cgroup){ .key = key });
		m->row_of.at[key] = m->into->rows.n;
	}
	return &m->into->rows.at[m->row_of.at[key] - 1];
}

static void merge_cgroup(struct merging *m, const struct ctprof_snapshot_cgroup *cgroup)
{
	uint32_t key = ctprof_group_names_cgroup(&m->names, cgroup->path);
	struct ctprof_merged_cgroup *row = row_for(m, key);

	row->members++;
	if (!cgroup->stats.known)
		return;
	row->measured++;
	if (has_readable_ancestor(m, intern_text(&m->snapshot->strings, cgroup->path), key)) {
		row->nested++;
		return;
	}
	merge_reading(&row->memory_current_total, &cgroup->stats.memory_current,
		      &(struct ctprof_cgroup_row){ .merge = CTPROF_CGROUP_MERGE_SUM });
	/* The first is copied: nothing that it lacks may look like a 0 that the next is added to.
	 */
	if (row->stats.known)
		merge_stats(&row->stats, &cgroup->stats, &m->snapshot->strings);
	else
		row->stats = stats_copy(&cgroup->stats);
}

static int by_key(const void *a_, const void *b_, void *texts)
{
	const struct ctprof_merged_cgroup *a = a_, *b = b_;

	return strcmp(intern_text(texts, a->key), intern_text(texts, b->key));
}

void ctprof_cgroups_merge(struct ctprof_group_keys *keys, const struct ctprof_snapshot *snapshot,
			  struct ctprof_merged_cgroups *ret)
{
	struct merging m = { .snapshot = snapshot, .into = ret };

	*ret = (struct ctprof_merged_cgroups){ 0 };
	ctprof_group_names_init(&m.names, keys, snapshot);
	m.readable = xcalloc(snapshot->strings.strings.n, sizeof(*m.readable));
	for (size_t i = 0; i < snapshot->cgroups.n; i++)
		m.readable[snapshot->cgroups.at[i].path] = snapshot->cgroups.at[i].stats.known;
	for (size_t i = 0; i < snapshot->cgroups.n; i++)
		merge_cgroup(&m, &snapshot->cgroups.at[i]);
	if (ret->rows.n)
		qsort_r(ret->rows.at, ret->rows.n, sizeof(*ret->rows.at), by_key,
			(void *)ctprof_group_keys_texts(keys));
	free(m.readable);
	vec_deinit(&m.row_of);
	ctprof_group_names_deinit(&m.names);
}

void ctprof_merged_cgroups_deinit(struct ctprof_merged_cgroups *cgroups)
{
	for (size_t i = 0; i < cgroups->rows.n; i++)
		procfs_cgroup_stats_deinit(&cgroups->rows.at[i].stats);
	vec_deinit(&cgroups->rows);
}
