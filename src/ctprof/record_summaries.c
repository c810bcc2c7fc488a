// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/record.h"

/* A string, or null when there is none. */
static void write_text_or_null(const struct snapshot *snapshot, uint32_t string, const char *key,
			       struct json_writer *w)
{
	json_key(w, key);
	if (string)
		json_write_string(w, intern_text(&snapshot->strings, string));
	else
		json_write_null(w);
}

void probe_summary_write(const struct snapshot *snapshot, struct json_writer *w)
{
	const struct probe_summary *s = &snapshot->probe;

	if (!s->known) {
		json_write_null(w);
		return;
	}
	json_begin_object(w);
	json_add_u64(w, "tgids_walked", s->tgids_walked);
	json_add_u64(w, "jemalloc_detected", s->jemalloc_detected);
	json_add_u64(w, "probed_ok", s->probed_ok);
	json_add_u64(w, "failed", s->failed);
	write_text_or_null(snapshot, s->dominant_failure, "dominant_failure", w);
	json_add_bool(w, "privilege_dominant", s->privilege_dominant);
	json_end_object(w);
}

void parse_summary_write(const struct snapshot *snapshot, struct json_writer *w)
{
	const struct parse_summary *s = &snapshot->parse;

	if (!s->known) {
		json_write_null(w);
		return;
	}
	json_begin_object(w);
	json_add_u64(w, "tids_walked", s->tids_walked);
	json_add_u64(w, "read_failures", s->read_failures);
	json_key(w, "read_failures_by_file");
	json_begin_object(w);
	for (int i = 0; i < N_METRIC_SOURCES; i++) {
		if (s->read_failures_by_source[i])
			json_add_u64(w, metric_sources[i].word, s->read_failures_by_source[i]);
	}
	json_end_object(w);
	write_text_or_null(snapshot, s->dominant_read_failure, "dominant_read_failure", w);
	json_add_bool(w, "kernel_config_dominant", s->kernel_config_dominant);
	json_add_u64(w, "negative_dotted_values", s->negative_dotted_values);
	json_end_object(w);
}

void taskstats_summary_write(const struct snapshot *snapshot, struct json_writer *w)
{
	const struct taskstats_summary *s = &snapshot->taskstats;

	if (!s->known) {
		json_write_null(w);
		return;
	}
	json_begin_object(w);
	json_add_u64(w, "ok_count", s->ok);
	json_add_u64(w, "eperm_count", s->eperm);
	json_add_u64(w, "esrch_count", s->esrch);
	json_add_u64(w, "other_err_count", s->other);
	json_end_object(w);
}

struct count {
	const char *key;
	uint64_t *into;
};

static struct error *load_counts(const struct json_value *value, const struct place *place,
				 const struct count *counts, size_t n)
{
	struct error *err = value_expect(value, place, JSON_OBJECT);

	for (size_t i = 0; i < n && !err; i++) {
		struct place at = { .outer = place, .key = counts[i].key };

		err = value_u64(json_find(value, counts[i].key), &at, counts[i].into, NULL);
	}
	return err;
}

static struct error *load_text(const struct json_value *value, const struct place *place,
			       const char *key, struct snapshot *snapshot, uint32_t *ret)
{
	struct place at = { .outer = place, .key = key };

	return value_string(json_find(value, key), &at, &snapshot->strings, ret);
}

static struct error *load_flag(const struct json_value *value, const struct place *place,
			       const char *key, bool *ret)
{
	struct place at = { .outer = place, .key = key };

	return value_bool(json_find(value, key), &at, ret, NULL);
}

struct error *probe_summary_load(const struct json_value *value, const struct place *place,
				 struct snapshot *snapshot)
{
	struct probe_summary s = { .known = true };
	const struct count counts[] = {
		{ "tgids_walked", &s.tgids_walked },
		{ "jemalloc_detected", &s.jemalloc_detected },
		{ "probed_ok", &s.probed_ok },
		{ "failed", &s.failed },
	};
	struct error *err;

	if (!value_is_there(value))
		return NULL;
	err = load_counts(value, place, counts, ARRAY_SIZE(counts));
	if (!err)
		err = load_text(value, place, "dominant_failure", snapshot, &s.dominant_failure);
	if (!err)
		err = load_flag(value, place, "privilege_dominant", &s.privilege_dominant);
	if (!err)
		snapshot->probe = s;
	return err;
}

struct error *parse_summary_load(const struct json_value *value, const struct place *place,
				 struct snapshot *snapshot)
{
	struct place by_file = { .outer = place, .key = "read_failures_by_file" };
	struct parse_summary s = { .known = true };
	const struct count counts[] = {
		{ "tids_walked", &s.tids_walked },
		{ "read_failures", &s.read_failures },
		{ "negative_dotted_values", &s.negative_dotted_values },
	};
	struct count files[N_METRIC_SOURCES];
	struct error *err;

	if (!value_is_there(value))
		return NULL;
	for (int i = 0; i < N_METRIC_SOURCES; i++)
		files[i] = (struct count){ metric_sources[i].word, &s.read_failures_by_source[i] };
	err = load_counts(value, place, counts, ARRAY_SIZE(counts));
	if (!err)
		err = load_counts(json_find(value, "read_failures_by_file"), &by_file, files,
				  ARRAY_SIZE(files));
	if (!err)
		err = load_text(value, place, "dominant_read_failure", snapshot,
				&s.dominant_read_failure);
	if (!err)
		err = load_flag(value, place, "kernel_config_dominant", &s.kernel_config_dominant);
	if (!err)
		snapshot->parse = s;
	return err;
}

struct error *taskstats_summary_load(const struct json_value *value, const struct place *place,
				     struct snapshot *snapshot)
{
	struct taskstats_summary s = { .known = true };
	const struct count counts[] = {
		{ "ok_count", &s.ok },
		{ "eperm_count", &s.eperm },
		{ "esrch_count", &s.esrch },
		{ "other_err_count", &s.other },
	};
	struct error *err;

	if (!value_is_there(value))
		return NULL;
	err = load_counts(value, place, counts, ARRAY_SIZE(counts));
	if (!err)
		snapshot->taskstats = s;
	return err;
}
