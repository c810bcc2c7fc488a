// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/ctprof/rows.h"
#include "cli/ctprof/show.h"
#include "metric/format.h"

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
		       enum metric_section section, const struct group_key *key)
{
	const struct intern *texts = group_keys_texts(profile->keys);
	const uint32_t parts[] = { key->cgroup, key->process, key->thread };

	append_field(into, metric_sections[section].word);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		strbuf_append_char(into, ',');
		append_field(into, intern_text(texts, parts[i]));
	}
}

static void append_reduced(struct strbuf *into, const struct profile *profile, enum metric_id id,
			   const struct reduced *value)
{
	enum metric_kind kind = metrics[id].kind;
	const uint32_t *cpus;
	struct tally_entry winner;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (reduced_is_absent(value, kind)) {
		strbuf_append(into, ",,");
		return;
	}
	switch (metric_reduction(kind)) {
	case REDUCTION_COUNT:
	case REDUCTION_SUM:
	case REDUCTION_LARGEST:
	case REDUCTION_LEAST:
		strbuf_appendf(into, "%" PRIu64 ",,", value->value);
		break;
	case REDUCTION_RANGE:
		strbuf_appendf(into, ",%" PRId64 ",%" PRId64, value->range.least,
			       value->range.most);
		break;
	case REDUCTION_MODE:
		if (reduced_mode(value, kind, &winner))
			label_format(kind, winner.value, &text);
		append_field(into, strbuf_str(&text));
		strbuf_append(into, ",,");
		break;
	case REDUCTION_CPUS:
		cpus = show_cpus(profile, value);
		if (cpus)
			metric_format_cpus(cpus, value->cpus.least, &text);
		append_field(into, strbuf_str(&text));
		strbuf_appendf(into, ",%" PRIu32 ",%" PRIu32, value->cpus.least, value->cpus.most);
		break;
	}
}

/* A whole number without decimals, any other with what a double has. */
static void append_derived(struct strbuf *into, const struct derived_value *value)
{
	bool whole = value->value > -0x1p63L && value->value < 0x1p63L &&
		     (long double)(int64_t)value->value == value->value;

	if (value->known && whole)
		strbuf_appendf(into, "%" PRId64, (int64_t)value->value);
	else if (value->known)
		strbuf_appendf(into, "%.17Lg", value->value);
	strbuf_append(into, ",,");
}

static void append_metric(struct strbuf *into, const struct profile *profile,
			  const struct group *group, size_t metric)
{
	uint32_t threads = group->values[METRIC_THREAD_COUNT].of;

	if (metric < N_METRICS) {
		const struct reduced *value = &group->values[metric];

		append_key(into, profile, metrics[metric].section, &group->key);
		strbuf_appendf(into, ",%" PRIu32 ",%s,%s,", threads, metrics[metric].name,
			       metric_unit_word(metrics[metric].unit));
		append_reduced(into, profile, (enum metric_id)metric, value);
		strbuf_appendf(into, ",%" PRIu32 ",%" PRIu32 "\n", value->measured, value->of);
	} else {
		enum derived_id id = (enum derived_id)(metric - N_METRICS);
		struct derived_value value = derived_compute(id, group->values);

		append_key(into, profile, derived[id].section, &group->key);
		strbuf_appendf(into, ",%" PRIu32 ",%s,%s,", threads, derived[id].name,
			       metric_unit_word(derived[id].unit));
		append_derived(into, &value);
		strbuf_appendf(into, ",%" PRIu32 ",%" PRIu32 "\n", value.measured, value.of);
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
	strbuf_append(into, ",,");
	append_field(into, row->name);
	strbuf_appendf(into, ",%s,", row_unit_word(row));
	switch (row->state) {
	case ROW_ABSENT:
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
		append_field(into, row->text);
		break;
	}
	strbuf_append(into, ",,,,\n");
}

void show_format_csv(const struct profile *profile, struct strbuf *into)
{
	struct csv csv = { profile, into };

	strbuf_append(
		into,
		"section,cgroup,process,thread,threads,metric,unit,value,least,most,measured,of\n");
	for (size_t i = 0; i < profile->n_groups; i++) {
		for (size_t m = 0; m < N_SPEC_METRICS; m++) {
			if (profile_wants(profile, m))
				append_metric(into, profile, profile->grouping.groups.at[i], m);
		}
	}
	rows_each(profile, take_row, &csv);
}
