// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/ctprof/show.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "metric/format.h"

bool profile_wants(const struct profile *profile, size_t metric)
{
	enum metric_section section = metric < METRIC_N ? metric_rows[metric].section
							: metric_derived[metric - METRIC_N].section;
	const struct metric_choice *choice = &profile->options->metrics;

	return section_is_chosen(&profile->options->sections, section) &&
	       (choice->n == 0 || choice->chosen[metric]);
}

static bool scalar_of(const struct ctprof_group *group, size_t metric, long double *ret)
{
	struct metric_derived_value value;

	if (metric < METRIC_N)
		return metric_reduced_scalar(&group->values[metric], metric_rows[metric].kind, ret);
	value = metric_derived_compute((enum metric_derived_id)(metric - METRIC_N), group->values);
	*ret = value.value;
	return value.known;
}

/* In order, largest first where nothing else is said; absent values last whatever the direction. */
static int profile_compare(const struct sort_order *order, const struct ctprof_group_keys *keys,
			   const struct ctprof_group *a, const struct ctprof_group *b)
{
	for (size_t i = 0; i < order->n; i++) {
		const struct sort_term *term = &order->terms[i];
		long double x = 0, y = 0;
		bool has_x = scalar_of(a, term->metric, &x), has_y = scalar_of(b, term->metric, &y);

		if (has_x != has_y)
			return has_x ? -1 : 1;
		if (has_x && x != y)
			return (x < y) == term->ascending ? -1 : 1;
	}
	return ctprof_group_key_compare(keys, &a->key, &b->key);
}

static int by_order(const void *a_, const void *b_, void *profile_)
{
	const struct ctprof_group *const *a = a_, *const *b = b_;
	const struct profile *profile = profile_;

	return profile_compare(&profile->options->sort, profile->keys, *a, *b);
}

/* name[7] as show writes it. */
static bool is_numbered(const char *pattern, const char *name, uint32_t number)
{
	_cleanup_free_ char *text = xasprintf("%s[%" PRIu32 "]", name, number);

	return strcmp(pattern, text) == 0;
}

static bool name_matches(const char *pattern, const char *name)
{
	_cleanup_strbuf_ struct strbuf without_numbers = STRBUF_INIT;

	if (fnmatch(pattern, name, FNM_NOESCAPE) == 0)
		return true;
	if (!strchr(pattern, '{'))
		return false;
	metric_pattern_format(name, &without_numbers);
	return strcmp(pattern, strbuf_str(&without_numbers)) == 0;
}

bool profile_thread_matches(const char *pattern, const struct ctprof_snapshot *snapshot,
			    const struct metric_thread_sample *sample)
{
	const char *comm = intern_text(&snapshot->strings, sample->comm);
	const char *pcomm = intern_text(&snapshot->strings, sample->pcomm);
	uint64_t number;

	if (str_parse_u64(pattern, UINT64_MAX, &number))
		return number == sample->tid || number == sample->tgid;
	return name_matches(pattern, comm) || name_matches(pattern, pcomm) ||
	       is_numbered(pattern, comm, sample->tid) || is_numbered(pattern, pcomm, sample->tgid);
}

static bool wanted(const struct metric_thread_sample *sample, void *profile_)
{
	const struct profile *profile = profile_;

	return profile_thread_matches(profile->options->threads, profile->snapshot, sample);
}

/* The cgroups of the shown groups, in their order. */
static void order_cgroups(struct profile *profile)
{
	_cleanup_free_ size_t *row_of = NULL;
	struct ctprof_merged_cgroups all;
	uint32_t most = 0;

	ctprof_cgroups_merge(profile->keys, profile->snapshot, &all);
	for (size_t i = 0; i < profile->n_groups; i++) {
		if (profile->grouping.groups.at[i]->key.cgroup > most)
			most = profile->grouping.groups.at[i]->key.cgroup;
	}
	row_of = xcalloc((size_t)most + 1, sizeof(*row_of));
	for (size_t i = 0; i < all.rows.n; i++) {
		if (all.rows.at[i].key <= most)
			row_of[all.rows.at[i].key] = i + 1;
	}
	for (size_t i = 0; i < profile->n_groups; i++) {
		uint32_t key = profile->grouping.groups.at[i]->key.cgroup;

		if (!row_of[key])
			continue;
		vec_push(&profile->cgroups.rows, all.rows.at[row_of[key] - 1]);
		/* It has moved. */
		all.rows.at[row_of[key] - 1].stats = (struct procfs_cgroup_stats){ 0 };
	}
	ctprof_merged_cgroups_deinit(&all);
}

void profile_make(const struct profile_options *options, const struct ctprof_snapshot *snapshot,
		  const struct ctprof_snapshot_origin *origin, struct profile *ret)
{
	struct profile profile = { .options = options, .snapshot = snapshot, .origin = origin };
	bool (*filter)(const struct metric_thread_sample *sample,
		       void *arg) = options->threads ? wanted : NULL;

	profile.keys = ctprof_group_keys_new(&options->rules);
	ctprof_group_keys_add(profile.keys, snapshot);
	ctprof_grouping_make(profile.keys, snapshot, filter, &profile, &profile.grouping);
	if (options->sort.n && profile.grouping.groups.n)
		qsort_r(profile.grouping.groups.at, profile.grouping.groups.n,
			sizeof(*profile.grouping.groups.at), by_order, &profile);
	profile.n_groups = profile.grouping.groups.n;
	if (options->top && options->top < profile.n_groups)
		profile.n_groups = options->top;
	ctprof_smaps_groups_make(profile.keys, snapshot, filter, &profile, &profile.smaps);
	if (options->rules.axis == CTPROF_GROUP_AXIS_CGROUP)
		order_cgroups(&profile);
	*ret = profile;
}

void profile_deinit(struct profile *profile)
{
	ctprof_smaps_groups_deinit(&profile->smaps);
	ctprof_merged_cgroups_deinit(&profile->cgroups);
	ctprof_grouping_deinit(&profile->grouping);
	ctprof_group_keys_free(profile->keys);
	*profile = (struct profile){ 0 };
}

void profile_format_label(const struct profile *profile, const struct ctprof_group_key *key,
			  struct strbuf *into)
{
	size_t before = into->n;

	ctprof_group_key_format(profile->keys, key, into);
	if (into->n == before)
		strbuf_append_char(into, '-');
}
