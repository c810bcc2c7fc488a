// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/file/record.h"

#include <string.h>

#include "ctprof/file/load.h"

void ctprof_presence_sets_deinit(struct ctprof_presence_sets *sets)
{
	vec_deinit(&sets->sets);
}

static bool knows(const struct ctprof_presence_set *set, int metric)
{
	return set->known[metric / 64] >> (metric % 64) & 1;
}

static void set_known(struct ctprof_presence_set *set, int metric, bool known)
{
	uint64_t bit = UINT64_C(1) << (metric % 64);

	set->known[metric / 64] = known ? set->known[metric / 64] | bit
					: set->known[metric / 64] & ~bit;
}

static bool has_source(const struct ctprof_presence_set *set, int metric)
{
	return metric_rows[metric].source != METRIC_SOURCE_NONE &&
	       set->sources >> metric_rows[metric].source & 1;
}

static bool same(const struct ctprof_presence_set *a, const struct ctprof_presence_set *b)
{
	return a->sources == b->sources && memcmp(a->known, b->known, sizeof(a->known)) == 0;
}

uint32_t ctprof_presence_add(struct ctprof_presence_sets *sets,
			     const struct metric_thread_sample *sample)
{
	struct ctprof_presence_set set = { .sources = sample->sources };

	memcpy(set.known, sample->known, sizeof(set.known));
	/* Counted, never read. */
	set_known(&set, METRIC_THREAD_COUNT, false);
	if (sets->last < sets->sets.n && same(&sets->sets.at[sets->last], &set))
		return (uint32_t)sets->last;
	for (sets->last = 0; sets->last < sets->sets.n; sets->last++) {
		if (same(&sets->sets.at[sets->last], &set))
			return (uint32_t)sets->last;
	}
	vec_push(&sets->sets, set);
	return (uint32_t)sets->last;
}

static void write_sources(struct json_writer *w, const char *key, uint32_t sources)
{
	json_open_array(w, key);
	for (int i = 0; i < METRIC_N_SOURCES; i++) {
		if (sources >> i & 1)
			json_write_string(w, metric_sources[i].word);
	}
	json_end_array(w);
}

static void write_metrics(struct json_writer *w, const char *key,
			  const struct ctprof_presence_set *set, bool of_sources)
{
	json_open_array(w, key);
	for (int i = 0; i < METRIC_N; i++) {
		if (metric_rows[i].source != METRIC_SOURCE_NONE &&
		    has_source(set, i) == of_sources && knows(set, i) != of_sources)
			json_write_string(w, metric_rows[i].name);
	}
	json_end_array(w);
}

void ctprof_presence_write_reasons(const struct ctprof_snapshot *snapshot, struct json_writer *w)
{
	json_open_object(w, "paths");
	for (int i = 0; i < METRIC_N_SOURCES; i++)
		json_add_string(w, metric_sources[i].word, ctprof_path_words[snapshot->paths[i]]);
	json_end_object(w);
	json_open_object(w, "reasons");
	for (int i = 0; i < METRIC_N_SOURCES; i++) {
		bool any = false;

		for (int j = 0; j < CTPROF_N_REASONS; j++)
			any = any || snapshot->reasons[i][j];
		if (!any)
			continue;
		json_open_object(w, metric_sources[i].word);
		for (int j = 0; j < CTPROF_N_REASONS; j++) {
			if (snapshot->reasons[i][j])
				json_add_u64(w, ctprof_reason_words[j], snapshot->reasons[i][j]);
		}
		json_end_object(w);
	}
	json_end_object(w);
}

void ctprof_presence_write(const struct ctprof_snapshot *snapshot,
			   const struct ctprof_presence_sets *sets, struct json_writer *w)
{
	json_begin_object(w);
	write_sources(w, "sources", METRIC_ALL_SOURCES);
	ctprof_presence_write_reasons(snapshot, w);
	if (snapshot->closed_processes)
		json_add_u64(w, "closed_processes", snapshot->closed_processes);
	json_add_string(w, "cgroup_mount", intern_text(&snapshot->strings, snapshot->cgroup_mount));
	json_open_array(w, "sets");
	for (size_t i = 0; i < sets->sets.n; i++) {
		json_begin_object(w);
		write_sources(w, "sources", sets->sets.at[i].sources);
		write_metrics(w, "absent", &sets->sets.at[i], true);
		write_metrics(w, "also", &sets->sets.at[i], false);
		json_end_object(w);
	}
	json_end_array(w);
	json_end_object(w);
}

static bool find_word(struct json_text text, const char *const words[], int n, int *ret)
{
	for (int i = 0; i < n; i++) {
		if (json_text_is(text, words[i])) {
			*ret = i;
			return true;
		}
	}
	return false;
}

static bool find_source(struct json_text text, int *ret)
{
	for (int i = 0; i < METRIC_N_SOURCES; i++) {
		if (json_text_is(text, metric_sources[i].word)) {
			*ret = i;
			return true;
		}
	}
	return false;
}

static struct error *load_paths(const struct ctprof_value *paths, struct ctprof_snapshot *snapshot)
{
	struct json_iter it = json_iter_over(paths->json);
	struct error *err = ctprof_value_expect(paths, JSON_OBJECT);
	int source, path;

	while (!err && json_iter_next(&it)) {
		struct ctprof_value at = ctprof_value_at(paths, &it);

		err = ctprof_value_expect(&at, JSON_STRING);
		/* Words of a later version say nothing to us. */
		if (!err && find_source(it.key, &source) &&
		    find_word(json_string(it.value), ctprof_path_words, CTPROF_N_PATHS, &path))
			snapshot->paths[source] = (enum ctprof_path)path;
	}
	return err;
}

/* Of one source. */
static struct error *load_counts(const struct ctprof_value *counts, uint64_t into[CTPROF_N_REASONS])
{
	struct json_iter it = json_iter_over(counts->json);
	struct error *err = NULL;
	int reason;

	while (!err && json_iter_next(&it)) {
		struct ctprof_value at = ctprof_value_at(counts, &it);
		uint64_t n = 0;

		if (!find_word(it.key, ctprof_reason_words, CTPROF_N_REASONS, &reason))
			reason = CTPROF_SNAPSHOT_REASON_OTHER;
		err = ctprof_value_u64(&at, &n);
		/* Several reasons of a later version are one to us. */
		into[reason] = add_saturating_u64(into[reason], n);
	}
	return err;
}

static struct error *load_reasons(const struct ctprof_value *reasons,
				  struct ctprof_snapshot *snapshot)
{
	struct json_iter it = json_iter_over(reasons->json);
	struct error *err = ctprof_value_expect(reasons, JSON_OBJECT);
	int source;

	while (!err && json_iter_next(&it)) {
		struct ctprof_value at = ctprof_value_at(reasons, &it);

		err = ctprof_value_expect(&at, JSON_OBJECT);
		if (!err && find_source(it.key, &source))
			err = load_counts(&at, snapshot->reasons[source]);
	}
	return err;
}

/* Sets or clears the metrics that a list of a set names. */
static struct error *load_metrics(const struct ctprof_value *outer, const char *key, bool known,
				  struct ctprof_presence_set *set)
{
	struct ctprof_value list = ctprof_value_find(outer, key);
	struct json_iter it = json_iter_over(list.json);
	struct error *err = ctprof_value_expect(&list, JSON_ARRAY);
	enum metric_id id;

	while (!err && json_iter_next(&it)) {
		struct ctprof_value at = ctprof_value_at(&list, &it);

		err = ctprof_value_expect(&at, JSON_STRING);
		if (!err && ctprof_value_is_there(&at) &&
		    metric_find(json_string(it.value).at, &id))
			set_known(set, (int)id, known);
	}
	return err;
}

static struct error *load_set(const struct ctprof_value *value, struct ctprof_presence_set *set)
{
	struct ctprof_value sources = ctprof_value_find(value, "sources");
	struct json_iter it = json_iter_over(sources.json);
	struct error *err;
	int source;

	if (!ctprof_value_is_there(value) || !ctprof_value_is_there(&sources))
		return ctprof_value_error(value, "expected an object with sources");
	err = ctprof_value_expect(&sources, JSON_ARRAY);
	if (err)
		return err;
	while (json_iter_next(&it)) {
		if (find_source(json_string(it.value), &source))
			set->sources |= UINT32_C(1) << source;
	}
	for (int i = 0; i < METRIC_N; i++)
		set_known(set, i, has_source(set, i));
	err = load_metrics(value, "absent", false, set);
	return err ? err : load_metrics(value, "also", true, set);
}

struct error *ctprof_presence_load(const struct ctprof_value *value,
				   struct ctprof_snapshot *snapshot,
				   struct ctprof_presence_sets *ret)
{
	struct ctprof_value paths = ctprof_value_find(value, "paths");
	struct ctprof_value reasons = ctprof_value_find(value, "reasons");
	struct ctprof_value mount = ctprof_value_find(value, "cgroup_mount");
	struct ctprof_value closed = ctprof_value_find(value, "closed_processes");
	struct ctprof_value sets = ctprof_value_find(value, "sets");
	struct json_iter it = json_iter_over(sets.json);
	struct error *err = ctprof_value_expect(value, JSON_OBJECT);

	if (!err)
		err = load_paths(&paths, snapshot);
	if (!err)
		err = load_reasons(&reasons, snapshot);
	if (!err)
		err = ctprof_value_string(&mount, &snapshot->strings, &snapshot->cgroup_mount);
	if (!err)
		err = ctprof_value_u64(&closed, &snapshot->closed_processes);
	if (!err)
		err = ctprof_value_expect(&sets, JSON_ARRAY);
	if (!err && json_length(sets.json) > CTPROF_LIMIT_SETS)
		err = ctprof_value_error(&sets, "%zu sets are past the limit of %d",
					 json_length(sets.json), CTPROF_LIMIT_SETS);
	while (!err && json_iter_next(&it)) {
		struct ctprof_value at = ctprof_value_at(&sets, &it);
		struct ctprof_presence_set set = { 0 };

		err = load_set(&at, &set);
		if (!err)
			vec_push(&ret->sets, set);
	}
	return err;
}

void ctprof_presence_apply(const struct ctprof_presence_set *set,
			   struct metric_thread_sample *sample)
{
	sample->sources = set->sources;
	for (int i = 0; i < METRIC_N; i++) {
		if (!knows(set, i))
			metric_sample_forget(sample, (enum metric_id)i);
	}
}
