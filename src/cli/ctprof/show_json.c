// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "cli/ctprof/rows.h"
#include "cli/ctprof/show.h"
#include "ctprof/record.h"
#include "json/writer.h"
#include "metric/format.h"

#define WORD_(id, word) word,
static const char *const path_words[] = { SNAPSHOT_PATHS(WORD_) };
#undef WORD_
#define WORD_(id, word, what) word,
static const char *const reason_words[] = { SNAPSHOT_REASONS(WORD_) };
#undef WORD_

static void add_reading(struct json_writer *w, const char *key, const struct reading *reading)
{
	json_key(w, key);
	if (reading->known)
		json_write_u64(w, reading->value);
	else
		json_write_null(w);
}

static void add_reasons(struct json_writer *w, const struct snapshot *snapshot)
{
	json_key(w, "reasons");
	json_begin_object(w);
	for (int i = 0; i < N_METRIC_SOURCES; i++) {
		bool any = false;

		for (int r = 0; r < N_SNAPSHOT_REASONS; r++) {
			if (!snapshot->reasons[i][r])
				continue;
			if (!any) {
				json_key(w, metric_sources[i].word);
				json_begin_object(w);
			}
			any = true;
			json_add_u64(w, reason_words[r], snapshot->reasons[i][r]);
		}
		if (any)
			json_end_object(w);
	}
	json_end_object(w);
}

static void add_header(struct json_writer *w, const struct profile *profile)
{
	const struct snapshot *s = profile->snapshot;

	json_add_string(w, "file", profile->origin->path);
	json_add_u64(w, "snapshot", profile->origin->frame);
	json_add_u64(w, "snapshots", profile->origin->frames);
	json_add_u64(w, "schema_version", s->schema_version);
	json_add_u64(w, "captured_at_unix_ns", s->captured_at_unix_ns);
	add_reading(w, "capture_end_unix_ns", &s->capture_end_unix_ns);
	json_add_string(w, "boot_id", s->boot_id ? intern_text(&s->strings, s->boot_id) : NULL);
	add_reading(w, "user_hz", &s->user_hz);
	add_reading(w, "page_size", &s->page_size);
	json_add_bool(w, "presence_in_file", s->has_presence);
	json_key(w, "host");
	if (s->has_host)
		host_facts_write(&s->host, w);
	else
		json_write_null(w);
	json_key(w, "parse_summary");
	parse_summary_write(s, w);
	json_key(w, "probe_summary");
	probe_summary_write(s, w);
	json_key(w, "taskstats_summary");
	taskstats_summary_write(s, w);
	json_key(w, "paths");
	json_begin_object(w);
	for (int i = 0; i < N_METRIC_SOURCES; i++)
		json_add_string(w, metric_sources[i].word, path_words[s->paths[i]]);
	json_end_object(w);
	add_reasons(w, s);
	json_add_u64(w, "threads", s->threads.n);
	json_add_string(w, "group_by", group_axes[profile->options->rules.axis].word);
}

static void add_key(struct json_writer *w, const struct profile *profile,
		    const struct group_key *key)
{
	const struct intern *texts = group_keys_texts(profile->keys);
	_cleanup_strbuf_ struct strbuf label = STRBUF_INIT;

	group_key_format(profile->keys, key, &label);
	json_add_string(w, "group", strbuf_str(&label));
	json_add_string(w, "cgroup", key->cgroup ? intern_text(texts, key->cgroup) : NULL);
	json_add_string(w, "process", key->process ? intern_text(texts, key->process) : NULL);
	json_add_string(w, "thread", key->thread ? intern_text(texts, key->thread) : NULL);
}

static void add_tally(struct json_writer *w, enum metric_kind kind, const struct reduced *value)
{
	struct tally_entry winner = { 0 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (reduced_mode(value, kind, &winner))
		label_format(kind, winner.value, &text);
	json_add_string(w, "value", strbuf_str(&text));
	json_key(w, "counts");
	json_begin_object(w);
	for (uint32_t i = 0; i < value->tally.n; i++) {
		strbuf_clear(&text);
		label_format(kind, value->tally.at[i].value, &text);
		json_add_u64(w, strbuf_str(&text), value->tally.at[i].count);
	}
	json_end_object(w);
}

static void add_cpus(struct json_writer *w, const struct profile *profile,
		     const struct reduced *value)
{
	const uint32_t *cpus = show_cpus(profile, value);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	json_add_u64(w, "least", value->cpus.least);
	json_add_u64(w, "most", value->cpus.most);
	json_key(w, "cpus");
	if (cpus)
		metric_format_cpus(cpus, value->cpus.least, &text);
	if (cpus)
		json_write_string(w, strbuf_str(&text));
	else
		json_write_null(w);
}

static void add_value(struct json_writer *w, const struct profile *profile, enum metric_id id,
		      const struct reduced *value)
{
	enum metric_kind kind = metrics[id].kind;

	if (reduced_is_absent(value, kind)) {
		json_key(w, "value");
		json_write_null(w);
		return;
	}
	switch (metric_reduction(kind)) {
	case REDUCTION_COUNT:
	case REDUCTION_SUM:
	case REDUCTION_LARGEST:
	case REDUCTION_LEAST:
		json_add_u64(w, "value", value->value);
		break;
	case REDUCTION_RANGE:
		json_add_i64(w, "least", value->range.least);
		json_add_i64(w, "most", value->range.most);
		break;
	case REDUCTION_MODE:
		add_tally(w, kind, value);
		break;
	case REDUCTION_CPUS:
		add_cpus(w, profile, value);
		break;
	}
}

/* Sums and differences are whole, and exact as integers. */
static void add_derived_value(struct json_writer *w, const struct derived *row,
			      const struct derived_value *value)
{
	bool whole = row->form == DERIVED_FORM_DIFFERENCE ||
		     row->form == DERIVED_FORM_SUM_AND_LARGER;

	json_key(w, "value");
	if (!value->known)
		json_write_null(w);
	else if (whole && value->value >= 0 && value->value < 0x1p64L)
		json_write_u64(w, (uint64_t)value->value);
	else if (whole && value->value < 0 && value->value >= -0x1p63L)
		json_write_i64(w, (int64_t)value->value);
	else
		json_write_double(w, (double)value->value);
}

static void add_group(struct json_writer *w, const struct profile *profile,
		      const struct group *group)
{
	json_begin_object(w);
	add_key(w, profile, &group->key);
	json_add_u64(w, "threads", group->values[METRIC_THREAD_COUNT].of);
	json_key(w, "metrics");
	json_begin_object(w);
	for (size_t m = 0; m < N_SPEC_METRICS; m++) {
		uint32_t measured, of;

		if (!profile_wants(profile, m))
			continue;
		json_key(w, spec_metric_name(m));
		json_begin_object(w);
		if (m < N_METRICS) {
			measured = group->values[m].measured;
			of = group->values[m].of;
			add_value(w, profile, (enum metric_id)m, &group->values[m]);
		} else {
			enum derived_id id = (enum derived_id)(m - N_METRICS);
			struct derived_value value = derived_compute(id, group->values);

			measured = value.measured;
			of = value.of;
			add_derived_value(w, &derived[id], &value);
		}
		json_add_u64(w, "measured", measured);
		json_add_u64(w, "of", of);
		json_end_object(w);
	}
	json_end_object(w);
	json_end_object(w);
}

/* What is open while the rows come in. */
struct open_rows {
	struct json_writer *w;
	const struct profile *profile;
	bool section_open, group_open;
	enum metric_section section;
	struct group_key key;
};

static void close_group(struct open_rows *open)
{
	if (open->group_open) {
		json_end_object(open->w);
		json_end_object(open->w);
	}
	open->group_open = false;
}

static void close_section(struct open_rows *open)
{
	close_group(open);
	if (open->section_open)
		json_end_array(open->w);
	open->section_open = false;
}

static void write_row_value(struct json_writer *w, const struct row *row)
{
	switch (row->state) {
	case ROW_ABSENT:
		json_write_null(w);
		break;
	case ROW_NUMBER:
		json_write_u64(w, row->number);
		break;
	case ROW_SIGNED:
		json_write_i64(w, (int64_t)row->number);
		break;
	case ROW_PERCENT:
		json_write_double(w, (double)row->number / 100);
		break;
	case ROW_NO_LIMIT:
		json_write_string(w, "max");
		break;
	case ROW_TEXT:
		json_write_string(w, row->text);
		break;
	}
}

static void take_row(const struct row *row, void *open_)
{
	struct open_rows *open = open_;

	if (row->for_people)
		return;
	if (!open->section_open || open->section != row->section) {
		close_section(open);
		json_key(open->w, metric_sections[row->section].word);
		json_begin_array(open->w);
		open->section_open = true;
		open->section = row->section;
	}
	if (!open->group_open || memcmp(&open->key, &row->key, sizeof(row->key)) != 0) {
		close_group(open);
		json_begin_object(open->w);
		add_key(open->w, open->profile, &row->key);
		json_key(open->w, "values");
		json_begin_object(open->w);
		open->group_open = true;
		open->key = row->key;
	}
	json_key(open->w, row->name);
	write_row_value(open->w, row);
}

void show_format_json(const struct profile *profile, struct strbuf *into)
{
	struct json_writer w = json_writer_to(into, JSON_PRETTY);
	struct open_rows open = { .w = &w, .profile = profile };

	json_begin_object(&w);
	add_header(&w, profile);
	json_key(&w, "groups");
	json_begin_array(&w);
	for (size_t i = 0; i < profile->n_groups; i++)
		add_group(&w, profile, profile->grouping.groups.at[i]);
	json_end_array(&w);
	json_key(&w, "sections");
	json_begin_object(&w);
	rows_each(profile, take_row, &open);
	close_section(&open);
	json_end_object(&w);
	json_end_object(&w);
	strbuf_append_char(into, '\n');
}
