// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/group/group.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ctprof/group/names.h"

#define CTPROF_GROUP_AXIS_ROW_(id, word, title, what) { word, title, what },
const struct ctprof_axis_row ctprof_axes[CTPROF_N_AXES] = { CTPROF_AXES(CTPROF_GROUP_AXIS_ROW_) };
#undef CTPROF_GROUP_AXIS_ROW_

int ctprof_group_key_compare(const struct ctprof_group_keys *keys, const struct ctprof_group_key *a,
			     const struct ctprof_group_key *b)
{
	const struct intern *texts = ctprof_group_keys_texts(keys);
	enum ctprof_axis axis = ctprof_group_keys_rules(keys)->axis;
	/* name[9] stands before name[10]. */
	int (*compare)(const char *x,
		       const char *y) = axis == CTPROF_GROUP_AXIS_PROCESS ||
							axis == CTPROF_GROUP_AXIS_THREAD
						? strverscmp
						: strcmp;
	int order = strcmp(intern_text(texts, a->cgroup), intern_text(texts, b->cgroup));

	if (!order)
		order = compare(intern_text(texts, a->process), intern_text(texts, b->process));
	if (!order)
		order = compare(intern_text(texts, a->thread), intern_text(texts, b->thread));
	return order;
}

static int by_key(const void *a_, const void *b_, void *keys)
{
	const struct ctprof_group *const *a = a_, *const *b = b_;

	return ctprof_group_key_compare(keys, &(*a)->key, &(*b)->key);
}

void ctprof_group_key_format(const struct ctprof_group_keys *keys,
			     const struct ctprof_group_key *key, struct strbuf *into)
{
	const struct intern *texts = ctprof_group_keys_texts(keys);
	const uint32_t parts[] = { key->cgroup, key->process, key->thread };
	size_t before = into->n;

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		if (!parts[i])
			continue;
		/* The root of cgroups is a slash itself. */
		if (into->n > before && into->at[into->n - 1] != '/')
			strbuf_append_char(into, '/');
		strbuf_append(into, intern_text(texts, parts[i]));
	}
}

void ctprof_grouping_make(struct ctprof_group_keys *keys, const struct ctprof_snapshot *snapshot,
			  bool (*wanted)(const struct metric_thread_sample *sample, void *arg),
			  void *arg, struct ctprof_grouping *ret)
{
	_cleanup_ctprof_key_table_ struct ctprof_key_table table = { 0 };
	_cleanup_ctprof_group_names_ struct ctprof_group_names names = { 0 };

	*ret = (struct ctprof_grouping){ .keys = keys };
	ctprof_group_names_init(&names, keys, snapshot);
	for (size_t i = 0; i < snapshot->threads.n; i++) {
		const struct metric_thread_sample *sample = &snapshot->threads.at[i];
		struct ctprof_group_key key;
		struct ctprof_group *group;
		size_t at;

		if (wanted && !wanted(sample, arg))
			continue;
		key = ctprof_group_names_key(&names, sample);
		at = ctprof_key_table_add(&table, &key);
		if (at == ret->groups.n) {
			group = xnew(struct ctprof_group);
			group->key = key;
			vec_push(&ret->groups, group);
		}
		group = ret->groups.at[at];
		for (int m = 0; m < METRIC_N; m++)
			metric_reduced_add(&group->values[m], (enum metric_id)m, sample);
	}
	if (ret->groups.n)
		qsort_r(ret->groups.at, ret->groups.n, sizeof(*ret->groups.at), by_key, keys);
}

void ctprof_grouping_deinit(struct ctprof_grouping *grouping)
{
	for (size_t i = 0; i < grouping->groups.n; i++) {
		for (int m = 0; m < METRIC_N; m++)
			metric_reduced_deinit(&grouping->groups.at[i]->values[m],
					      metric_rows[m].kind);
		free(grouping->groups.at[i]);
	}
	vec_deinit(&grouping->groups);
	*grouping = (struct ctprof_grouping){ 0 };
}
