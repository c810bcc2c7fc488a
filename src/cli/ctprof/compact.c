// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/ctprof/compact.h"

#include <stdlib.h>
#include <string.h>

struct compact_shape {
	enum metric_section section;
	const char *title;
	const char *names[COMPACT_COLUMNS];
};

static const struct compact_shape shapes[] = {
	{ METRIC_SECTION_CGROUP_STATS,
	  "CGROUP",
	  { "cpu_usage_usec", "nr_throttled", "throttled_usec", "memory_current",
	    "memory_current_total", "memory_peak", "memory_swap_current", "pids_current" } },
	{ METRIC_SECTION_CGROUP_LIMITS,
	  "CGROUP",
	  { "cpu.max", "cpu.weight", "memory.max", "memory.high", "memory.low", "memory.min",
	    "pids.max", "cpuset.cpus.effective" } },
	{ METRIC_SECTION_SMAPS_ROLLUP,
	  "PROCESS",
	  { "processes", "Rss", "Pss", "Pss_Anon", "Pss_File", "Pss_Shmem", "SwapPss" } },
};

bool compact_init(struct compact *compact, enum metric_section section)
{
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
		if (shapes[i].section == section) {
			*compact = (struct compact){ .shape = &shapes[i] };
			return true;
		}
	}
	return false;
}

void compact_deinit(struct compact *compact)
{
	for (size_t i = 0; i < compact->groups.n; i++) {
		for (size_t c = 0; c < COMPACT_COLUMNS; c++)
			free(compact->groups.at[i].cells[c]);
		free(compact->groups.at[i].label);
	}
	vec_deinit(&compact->groups);
}

static struct compact_group *group_of(struct compact *compact, const struct profile *profile,
				      const struct group_key *key)
{
	struct strbuf label = STRBUF_INIT;

	if (compact->groups.n == 0 || memcmp(&compact->key, key, sizeof(*key)) != 0) {
		profile_format_label(profile, key, &label);
		vec_push(&compact->groups, (struct compact_group){ .label = strbuf_take(&label) });
		compact->key = *key;
	}
	return &compact->groups.at[compact->groups.n - 1];
}

void compact_add(struct compact *compact, const struct profile *profile, const struct row *row)
{
	struct compact_group *group = group_of(compact, profile, &row->key);
	struct strbuf text = STRBUF_INIT;

	for (size_t c = 0; c < COMPACT_COLUMNS && compact->shape->names[c]; c++) {
		if (strcmp(compact->shape->names[c], row->name) != 0)
			continue;
		row_format_value(row, &text);
		free(group->cells[c]);
		group->cells[c] = strbuf_take(&text);
		if (row_says_something(row))
			group->says_something = compact->says_something[c] = true;
	}
}

void compact_format(const struct compact *compact, const struct table_look *look,
		    struct strbuf *into)
{
	struct table_column columns[COMPACT_COLUMNS + 1] = { { .title = compact->shape->title,
							       .shrinks = true } };
	_cleanup_(cleanup_table) struct table *table = NULL;
	size_t n = 1;

	for (size_t c = 0; c < COMPACT_COLUMNS; c++) {
		if (compact->says_something[c])
			columns[n++] = (struct table_column){ compact->shape->names[c],
							      .right = true };
	}
	if (n == 1)
		return;
	table = table_new(columns, n);
	for (size_t i = 0; i < compact->groups.n; i++) {
		const struct compact_group *group = &compact->groups.at[i];

		if (!group->says_something)
			continue;
		table_add(table, group->label);
		for (size_t c = 0; c < COMPACT_COLUMNS; c++) {
			if (compact->says_something[c])
				table_add(table, group->cells[c]);
		}
	}
	table_format(table, look, into);
}
