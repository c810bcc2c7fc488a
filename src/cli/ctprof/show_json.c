// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "cli/ctprof/show.h"
#include "ctprof/file/record.h"
#include "json/writer.h"

static void add_reading(struct json_writer *w, const char *key,
			const struct procfs_reading *reading)
{
	json_key(w, key);
	if (reading->known)
		json_write_u64(w, reading->value);
	else
		json_write_null(w);
}

static void add_header(struct json_writer *w, const struct profile *profile)
{
	static const char *const members[] = { "host", "parse_summary", "probe_summary",
					       "taskstats_summary" };
	const struct ctprof_snapshot *s = profile->snapshot;

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
	for (size_t i = 0; i < ARRAY_SIZE(members); i++)
		ctprof_member_write(ctprof_snapshot_member_find(members[i]), &s->strings, s, w);
	ctprof_presence_write_reasons(s, w);
	json_add_u64(w, "threads", s->threads.n);
	json_add_string(w, "group_by", ctprof_axes[profile->options->rules.axis].word);
}

static void add_key(struct json_writer *w, const struct profile *profile,
		    const struct ctprof_group_key *key)
{
	const struct intern *texts = ctprof_group_keys_texts(profile->keys);
	_cleanup_strbuf_ struct strbuf label = STRBUF_INIT;

	ctprof_group_key_format(profile->keys, key, &label);
	json_add_string(w, "group", strbuf_str(&label));
	json_add_string(w, "cgroup", key->cgroup ? intern_text(texts, key->cgroup) : NULL);
	json_add_string(w, "process", key->process ? intern_text(texts, key->process) : NULL);
	json_add_string(w, "thread", key->thread ? intern_text(texts, key->thread) : NULL);
}

/* How often each label occurs. */
static void add_counts(struct json_writer *w, const struct row *row)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	json_open_object(w, "counts");
	for (uint32_t i = 0; i < row->reduced->tally.n; i++) {
		strbuf_clear(&text);
		metric_label_format(metric_rows[row->metric].kind, row->reduced->tally.at[i].value,
				    &text);
		json_add_u64(w, strbuf_str(&text), row->reduced->tally.at[i].count);
	}
	json_end_object(w);
}

/* Sums and differences are whole, and exact as integers. */
static void write_computed(struct json_writer *w, const struct row *row)
{
	enum metric_derived_form form = metric_derived[row->metric - METRIC_N].form;
	bool whole = form == METRIC_DERIVED_FORM_DIFFERENCE ||
		     form == METRIC_DERIVED_FORM_SUM_AND_LARGER;

	if (whole && row->computed >= 0 && row->computed < 0x1p64L)
		json_write_u64(w, (uint64_t)row->computed);
	else if (whole && row->computed < 0 && row->computed >= -0x1p63L)
		json_write_i64(w, (int64_t)row->computed);
	else
		json_write_double(w, (double)row->computed);
}

static void write_value(struct json_writer *w, const struct row *row)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	switch (row->state) {
	case ROW_ABSENT:
	case ROW_RANGE:
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
	case ROW_LABEL:
	case ROW_CPUS:
		row_format_text(row, &text);
		if (row->state == ROW_CPUS && !row->cpus)
			json_write_null(w);
		else
			json_write_string(w, strbuf_str(&text));
		break;
	case ROW_COMPUTED:
		write_computed(w, row);
		break;
	}
}

static void take_metric(const struct row *row, void *w_)
{
	struct json_writer *w = w_;

	json_open_object(w, row->name);
	if (row->state == ROW_RANGE || row->state == ROW_CPUS) {
		json_add_i64(w, "least", row->least);
		json_add_i64(w, "most", row->most);
	}
	if (row->state != ROW_RANGE) {
		json_key(w, row->state == ROW_CPUS ? "cpus" : "value");
		write_value(w, row);
	}
	if (row->state == ROW_LABEL)
		add_counts(w, row);
	json_add_u64(w, "measured", row->measured);
	json_add_u64(w, "of", row->of);
	json_end_object(w);
}

static void add_group(struct json_writer *w, const struct profile *profile,
		      const struct ctprof_group *group)
{
	json_begin_object(w);
	add_key(w, profile, &group->key);
	json_add_u64(w, "threads", group->values[METRIC_THREAD_COUNT].of);
	json_open_object(w, "metrics");
	rows_of_group(profile, group, 0, N_SPEC_METRICS, take_metric, w);
	json_end_object(w);
	json_end_object(w);
}

/* What is open while the rows of a section come in. */
struct open_section {
	struct json_writer *w;
	const struct profile *profile;
	bool is_open;
	struct ctprof_group_key key; /* of the group that is open */
};

static void take_row(const struct row *row, void *open_)
{
	struct open_section *open = open_;
	struct json_writer *w = open->w;
	bool same_group = open->is_open && memcmp(&open->key, &row->key, sizeof(row->key)) == 0;

	if (row->for_people)
		return;
	if (!open->is_open) {
		json_open_array(w, metric_sections[row->section].word);
	} else if (!same_group) {
		json_end_object(w);
		json_end_object(w);
	}
	if (!same_group) {
		json_begin_object(w);
		add_key(w, open->profile, &row->key);
		json_open_object(w, "values");
	}
	open->is_open = true;
	open->key = row->key;
	json_key(w, row->name);
	write_value(w, row);
}

static void add_section(struct json_writer *w, const struct profile *profile,
			enum metric_section section)
{
	struct open_section open = { .w = w, .profile = profile };

	rows_of_section(profile, section, take_row, &open);
	if (!open.is_open)
		return;
	json_end_object(w);
	json_end_object(w);
	json_end_array(w);
}

void show_format_json(const struct profile *profile, struct strbuf *into)
{
	struct json_writer w = json_writer_to(into, JSON_PRETTY);

	json_begin_object(&w);
	add_header(&w, profile);
	json_open_array(&w, "groups");
	for (size_t i = 0; i < profile->n_groups; i++)
		add_group(&w, profile, profile->grouping.groups.at[i]);
	json_end_array(&w);
	json_open_object(&w, "sections");
	for (int i = 0; i < METRIC_N_SECTIONS; i++)
		add_section(&w, profile, (enum metric_section)i);
	json_end_document(&w);
}
