// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/ctprof/show.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "text/terminal.h"

static const struct {
	enum metric_section section;
	const char *title;
	const char *names[COLUMNS_MOST];
} shapes[] = {
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

bool columns_of_section(struct columns *columns, enum metric_section section)
{
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
		if (shapes[i].section != section)
			continue;
		*columns = (struct columns){ .title = shapes[i].title };
		memcpy(columns->names, shapes[i].names, sizeof(columns->names));
		return true;
	}
	return false;
}

bool columns_of_metrics(struct columns *columns, const struct profile *profile)
{
	const struct metric_choice *choice = &profile->options->metrics;
	enum ctprof_axis axis = profile->options->rules.axis;
	size_t n = 0;

	if (!choice->n || choice->n > COLUMNS_MOST)
		return false;
	*columns = (struct columns){ .title = ctprof_axes[axis].title,
				     .all = true,
				     .counts_threads = axis != CTPROF_GROUP_AXIS_THREAD &&
						       !choice->chosen[METRIC_THREAD_COUNT] };
	for (size_t i = 0; i < choice->n; i++) {
		if (profile_wants(profile, choice->order[i]))
			columns->names[n++] = spec_metric_name(choice->order[i]);
	}
	return true;
}

void columns_deinit(struct columns *columns)
{
	for (size_t i = 0; i < columns->groups.n; i++) {
		for (size_t c = 0; c < COLUMNS_MOST; c++)
			free(columns->groups.at[i].cells[c]);
		free(columns->groups.at[i].label);
	}
	vec_deinit(&columns->groups);
}

static struct columns_group *group_of(struct columns *columns, const struct profile *profile,
				      const struct row *row)
{
	struct strbuf label = STRBUF_INIT;

	if (columns->groups.n == 0 || memcmp(&columns->key, &row->key, sizeof(row->key)) != 0) {
		profile_format_label(profile, &row->key, &label);
		vec_push(&columns->groups,
			 (struct columns_group){
				 .label = strbuf_take(&label),
				 .threads = row->group ? row->group->values[METRIC_THREAD_COUNT].of
						       : 0 });
		columns->key = row->key;
	}
	return &columns->groups.at[columns->groups.n - 1];
}

void columns_cut(struct strbuf *text)
{
	if (text_width(strbuf_str(text)) <= COLUMNS_WIDEST_VALUE)
		return;
	text->n = text_prefix(text->at, COLUMNS_WIDEST_VALUE - 1);
	strbuf_append(text, "…");
}

void columns_add(struct columns *columns, const struct profile *profile, const struct row *row)
{
	struct columns_group *group = group_of(columns, profile, row);
	struct strbuf text = STRBUF_INIT;

	for (size_t c = 0; c < COLUMNS_MOST && columns->names[c]; c++) {
		if (strcmp(columns->names[c], row->name) != 0)
			continue;
		row_format_value(row, &text);
		if (row->group)
			columns_cut(&text);
		if (row_is_partial(row))
			strbuf_appendf(&text, " (%" PRIu32 " of %" PRIu32 ")", row->measured,
				       row->of);
		free(group->cells[c]);
		group->cells[c] = strbuf_take(&text);
		if (row_says_something(row))
			group->says_something = columns->says_something[c] = true;
	}
}

static bool is_shown(const struct columns *columns, size_t c)
{
	return columns->names[c] && (columns->all || columns->says_something[c]);
}

size_t columns_format(const struct columns *columns, const struct text_look *look, bool everything,
		      struct strbuf *into)
{
	struct text_column shown[COLUMNS_MOST + 2] = { { columns->title, .shrinks = true } };
	_cleanup_text_table_ struct text_table *table = NULL;
	size_t n = 1, left_out = 0;

	if (columns->counts_threads)
		shown[n++] = (struct text_column){ "THREADS", .right = true };
	for (size_t c = 0; c < COLUMNS_MOST; c++) {
		if (is_shown(columns, c))
			shown[n++] = (struct text_column){ columns->names[c], .right = true };
	}
	table = text_table_new(shown, n);
	for (size_t i = 0; i < columns->groups.n; i++) {
		const struct columns_group *group = &columns->groups.at[i];

		if (!group->says_something && !everything) {
			left_out++;
			continue;
		}
		text_table_add(table, group->label);
		if (columns->counts_threads)
			text_table_addf(table, "%" PRIu32, group->threads);
		for (size_t c = 0; c < COLUMNS_MOST; c++) {
			if (is_shown(columns, c))
				text_table_add(table, group->cells[c]);
		}
	}
	if (text_table_has_rows(table))
		text_table_format(table, look, into);
	return left_out;
}
