// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/group/group.h"

#include <stdlib.h>

#include "ctprof/group/names.h"

enum { BYTES_PER_KIB = 1024 };

static void add_process(struct ctprof_smaps_group *into, const struct procfs_named_readings *kib)
{
	into->processes++;
	into->bytes.known = true;
	for (size_t i = 0; i < kib->rows.n; i++) {
		uint64_t bytes;

		if (!mul_fits_u64(kib->rows.at[i].value, BYTES_PER_KIB, &bytes))
			bytes = UINT64_MAX;
		procfs_named_readings_merge(&into->bytes, kib->rows.at[i].name, bytes, i,
					    add_saturating_u64);
	}
}

struct ranking {
	const struct ctprof_group_keys *keys;
	uint32_t sizes[2]; /* names */
};

static int by_size(const void *a_, const void *b_, void *ranking_)
{
	const struct ctprof_smaps_group *a = a_, *b = b_;
	const struct ranking *ranking = ranking_;

	for (size_t i = 0; i < ARRAY_SIZE(ranking->sizes); i++) {
		uint64_t x = procfs_named_readings_value(&a->bytes, ranking->sizes[i]);
		uint64_t y = procfs_named_readings_value(&b->bytes, ranking->sizes[i]);

		if (x != y)
			return x > y ? -1 : 1;
	}
	return ctprof_group_key_compare(ranking->keys, &a->key, &b->key);
}

static void rank(struct ctprof_smaps_groups *groups, const struct ctprof_group_keys *keys,
		 const struct ctprof_snapshot *snapshot)
{
	struct ranking ranking = { .keys = keys,
				   .sizes = { METRIC_SAMPLE_NO_ENTRY, METRIC_SAMPLE_NO_ENTRY } };

	(void)intern_find(&snapshot->strings, "Rss", &ranking.sizes[0]);
	(void)intern_find(&snapshot->strings, "Pss", &ranking.sizes[1]);
	if (groups->rows.n)
		qsort_r(groups->rows.at, groups->rows.n, sizeof(*groups->rows.at), by_size,
			&ranking);
}

void ctprof_smaps_groups_make(struct ctprof_group_keys *keys,
			      const struct ctprof_snapshot *snapshot,
			      bool (*wanted)(const struct metric_thread_sample *sample, void *arg),
			      void *arg, struct ctprof_smaps_groups *ret)
{
	enum ctprof_axis axis = ctprof_group_keys_rules(keys)->axis;
	bool by_cgroup = axis == CTPROF_GROUP_AXIS_ALL;
	bool one_by_one = axis == CTPROF_GROUP_AXIS_PROCESS || axis == CTPROF_GROUP_AXIS_THREAD;
	_cleanup_ctprof_key_table_ struct ctprof_key_table table = { 0 };
	_cleanup_ctprof_group_names_ struct ctprof_group_names names = { 0 };

	*ret = (struct ctprof_smaps_groups){ 0 };
	ctprof_group_names_init(&names, keys, snapshot);
	for (size_t i = 0; i < snapshot->threads.n; i++) {
		const struct metric_thread_sample *sample = &snapshot->threads.at[i];
		struct ctprof_group_key key = { 0 };
		uint32_t name;
		size_t at;

		if (sample->smaps == METRIC_SAMPLE_NO_ENTRY || (wanted && !wanted(sample, arg)))
			continue;
		key.cgroup = by_cgroup ? ctprof_group_names_cgroup(&names, sample->cgroup) : 0;
		key.process = ctprof_group_names_smaps(&names, sample);
		name = ctprof_group_keys_rules(keys)->literal_names || one_by_one
			       ? key.process
			       : ctprof_group_names_literal(&names, sample->pcomm);
		at = ctprof_key_table_add(&table, &key);
		if (at == ret->rows.n)
			vec_push(&ret->rows,
				 (struct ctprof_smaps_group){ .key = key, .shown_as = name });
		else if (ret->rows.at[at].shown_as != name)
			ret->rows.at[at].shown_as = key.process;
		add_process(&ret->rows.at[at], &snapshot->smaps.at[sample->smaps]);
	}
	rank(ret, keys, snapshot);
}

void ctprof_smaps_groups_deinit(struct ctprof_smaps_groups *groups)
{
	for (size_t i = 0; i < groups->rows.n; i++)
		vec_deinit(&groups->rows.at[i].bytes.rows);
	vec_deinit(&groups->rows);
}
