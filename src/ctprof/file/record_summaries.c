// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/file/record.h"

#include <string.h>

enum row_type {
	ROW_COUNT, /* a uint64_t */
	ROW_TEXT,  /* a string of the snapshot; null when there is none */
	ROW_FLAG,
	ROW_FILES, /* a count for each source: an object of those that are not 0 */
};

struct row {
	const char *key;
	enum row_type type;
	size_t offset;
};

#define PROBE_(key, type) { #key, ROW_##type, offsetof(struct ctprof_probe_summary, key) }
static const struct row probe_rows[] = {
	PROBE_(tgids_walked, COUNT),	PROBE_(jemalloc_detected, COUNT),
	PROBE_(probed_ok, COUNT),	PROBE_(failed, COUNT),
	PROBE_(dominant_failure, TEXT), PROBE_(privilege_dominant, FLAG),
};

#define PARSE_(key, member, type) { key, ROW_##type, offsetof(struct ctprof_parse_summary, member) }
static const struct row parse_rows[] = {
	PARSE_("tids_walked", tids_walked, COUNT),
	PARSE_("read_failures", read_failures, COUNT),
	PARSE_("read_failures_by_file", read_failures_by_source, FILES),
	PARSE_("dominant_read_failure", dominant_read_failure, TEXT),
	PARSE_("kernel_config_dominant", kernel_config_dominant, FLAG),
	PARSE_("negative_dotted_values", negative_dotted_values, COUNT),
};

#define PROCFS_TASKSTATS_(key, member) \
	{ key, ROW_COUNT, offsetof(struct ctprof_taskstats_summary, member) }
static const struct row taskstats_rows[] = {
	PROCFS_TASKSTATS_("ok_count", ok),
	PROCFS_TASKSTATS_("eperm_count", eperm),
	PROCFS_TASKSTATS_("esrch_count", esrch),
	PROCFS_TASKSTATS_("other_err_count", other),
};

static void write_files(const uint64_t counts[METRIC_N_SOURCES], struct json_writer *w)
{
	json_begin_object(w);
	for (int i = 0; i < METRIC_N_SOURCES; i++) {
		if (counts[i])
			json_add_u64(w, metric_sources[i].word, counts[i]);
	}
	json_end_object(w);
}

static void write_summary(const struct ctprof_snapshot *snapshot, const struct row *rows, size_t n,
			  const void *from, struct json_writer *w)
{
	if (!*(const bool *)from) {
		json_write_null(w);
		return;
	}
	json_begin_object(w);
	for (size_t i = 0; i < n; i++) {
		const void *at = (const char *)from + rows[i].offset;
		uint32_t string;

		json_key(w, rows[i].key);
		switch (rows[i].type) {
		case ROW_COUNT:
			json_write_u64(w, *(const uint64_t *)at);
			break;
		case ROW_TEXT:
			string = *(const uint32_t *)at;
			if (string)
				json_write_string(w, intern_text(&snapshot->strings, string));
			else
				json_write_null(w);
			break;
		case ROW_FLAG:
			json_write_bool(w, *(const bool *)at);
			break;
		case ROW_FILES:
			write_files(at, w);
			break;
		}
	}
	json_end_object(w);
}

static struct error *load_files(const struct json_value *value, const struct ctprof_place *place,
				uint64_t counts[METRIC_N_SOURCES])
{
	struct error *err = ctprof_value_expect(value, place, JSON_OBJECT);

	for (int i = 0; i < METRIC_N_SOURCES && !err; i++) {
		struct ctprof_place at = { .outer = place, .key = metric_sources[i].word };

		err = ctprof_value_u64(json_find(value, metric_sources[i].word), &at, &counts[i],
				       NULL);
	}
	return err;
}

/* Sets nothing when there is no summary; *into is zeroed when it is wrong. */
static struct error *load_summary(const struct json_value *value, const struct ctprof_place *place,
				  struct ctprof_snapshot *snapshot, const struct row *rows,
				  size_t n, void *into, size_t size)
{
	struct error *err = ctprof_value_expect(value, place, JSON_OBJECT);

	if (err || !ctprof_value_is_there(value))
		return err;
	memset(into, 0, size);
	for (size_t i = 0; i < n && !err; i++) {
		const struct json_value *member = json_find(value, rows[i].key);
		struct ctprof_place here = { .outer = place, .key = rows[i].key };
		void *at = (char *)into + rows[i].offset;

		switch (rows[i].type) {
		case ROW_COUNT:
			err = ctprof_value_u64(member, &here, at, NULL);
			break;
		case ROW_TEXT:
			err = ctprof_value_string(member, &here, &snapshot->strings, at);
			break;
		case ROW_FLAG:
			err = ctprof_value_bool(member, &here, at, NULL);
			break;
		case ROW_FILES:
			err = load_files(member, &here, at);
			break;
		}
	}
	*(bool *)into = !err;
	return err;
}

void ctprof_probe_summary_write(const struct ctprof_snapshot *snapshot, struct json_writer *w)
{
	write_summary(snapshot, probe_rows, ARRAY_SIZE(probe_rows), &snapshot->probe, w);
}

void ctprof_parse_summary_write(const struct ctprof_snapshot *snapshot, struct json_writer *w)
{
	write_summary(snapshot, parse_rows, ARRAY_SIZE(parse_rows), &snapshot->parse, w);
}

void ctprof_taskstats_summary_write(const struct ctprof_snapshot *snapshot, struct json_writer *w)
{
	write_summary(snapshot, taskstats_rows, ARRAY_SIZE(taskstats_rows), &snapshot->taskstats,
		      w);
}

struct error *ctprof_probe_summary_load(const struct json_value *value,
					const struct ctprof_place *place,
					struct ctprof_snapshot *snapshot)
{
	return load_summary(value, place, snapshot, probe_rows, ARRAY_SIZE(probe_rows),
			    &snapshot->probe, sizeof(snapshot->probe));
}

struct error *ctprof_parse_summary_load(const struct json_value *value,
					const struct ctprof_place *place,
					struct ctprof_snapshot *snapshot)
{
	return load_summary(value, place, snapshot, parse_rows, ARRAY_SIZE(parse_rows),
			    &snapshot->parse, sizeof(snapshot->parse));
}

struct error *ctprof_taskstats_summary_load(const struct json_value *value,
					    const struct ctprof_place *place,
					    struct ctprof_snapshot *snapshot)
{
	return load_summary(value, place, snapshot, taskstats_rows, ARRAY_SIZE(taskstats_rows),
			    &snapshot->taskstats, sizeof(snapshot->taskstats));
}
