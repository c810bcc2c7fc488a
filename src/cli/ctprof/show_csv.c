// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/ctprof/show.h"

/* RFC 4180, except that lines end as they do here. */
static void append_field(struct strbuf *into, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		strbuf_append(into, text);
		return;
	}
	strbuf_append_char(into, '"');
	for (; *text; text++) {
		if (*text == '"')
			strbuf_append_char(into, '"');
		strbuf_append_char(into, *text);
	}
	strbuf_append_char(into, '"');
}

/* The fields that begin every line. */
static void append_key(struct strbuf *into, const struct profile *profile,
		       enum metric_section section, const struct ctprof_group_key *key)
{
	const struct intern *texts = ctprof_group_keys_texts(profile->keys);
	const uint32_t parts[] = { key->cgroup, key->process, key->thread };

	append_field(into, metric_sections[section].word);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		strbuf_append_char(into, ',');
		append_field(into, intern_text(texts, parts[i]));
	}
}

/* A whole number without decimals, any other with what a double has. */
static void append_computed(struct strbuf *into, long double value)
{
	bool whole = value > -0x1p63L && value < 0x1p63L && (long double)(int64_t)value == value;

	if (whole)
		strbuf_appendf(into, "%" PRId64, (int64_t)value);
	else
		strbuf_appendf(into, "%.17Lg", value);
}

static void append_value(struct strbuf *into, const struct row *row)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	switch (row->state) {
	case ROW_ABSENT:
	case ROW_RANGE:
		break;
	case ROW_NUMBER:
		strbuf_appendf(into, "%" PRIu64, row->number);
		break;
	case ROW_SIGNED:
		strbuf_appendf(into, "%" PRId64, (int64_t)row->number);
		break;
	case ROW_PERCENT:
		strbuf_appendf(into, "%" PRIu64 ".%02" PRIu64, row->number / 100,
			       row->number % 100);
		break;
	case ROW_NO_LIMIT:
		strbuf_append(into, "max");
		break;
	case ROW_TEXT:
	case ROW_LABEL:
	case ROW_CPUS:
		row_format_text(row, &text);
		append_field(into, strbuf_str(&text));
		break;
	case ROW_COMPUTED:
		append_computed(into, row->computed);
		break;
	}
}

struct csv {
	const struct profile *profile;
	struct strbuf *into;
};

static void take_row(const struct row *row, void *csv_)
{
	struct csv *csv = csv_;
	struct strbuf *into = csv->into;

	if (row->for_people)
		return;
	append_key(into, csv->profile, row->section, &row->key);
	strbuf_append_char(into, ',');
	if (row->group)
		strbuf_appendf(into, "%" PRIu32, row->group->values[METRIC_THREAD_COUNT].of);
	strbuf_append_char(into, ',');
	append_field(into, row->name);
	strbuf_appendf(into, ",%s,", row_unit_name(row));
	append_value(into, row);
	if (row->state == ROW_RANGE || row->state == ROW_CPUS)
		strbuf_appendf(into, ",%" PRId64 ",%" PRId64, row->least, row->most);
	else
		strbuf_append(into, ",,");
	if (row->group)
		strbuf_appendf(into, ",%" PRIu32 ",%" PRIu32 "\n", row->measured, row->of);
	else
		strbuf_append(into, ",,\n");
}

void show_format_csv(const struct profile *profile, struct strbuf *into)
{
	struct csv csv = { profile, into };

	strbuf_append(
		into,
		"section,cgroup,process,thread,threads,metric,unit,value,least,most,measured,of\n");
	for (size_t i = 0; i < profile->n_groups; i++)
		rows_of_group(profile, profile->grouping.groups.at[i], 0, N_SPEC_METRICS, take_row,
			      &csv);
	for (int i = 0; i < METRIC_N_SECTIONS; i++)
		rows_of_section(profile, (enum metric_section)i, take_row, &csv);
}
