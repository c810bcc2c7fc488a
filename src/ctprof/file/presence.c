// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/file/record.h"

#include <string.h>

#include "ctprof/file/load.h"

#define WORD_(id, word, ...) word,
static const char *const reason_words[] = { CTPROF_REASONS(WORD_) };
static const char *const path_words[] = { CTPROF_PATHS(WORD_) };
#undef WORD_

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
	json_key(w, key);
	json_begin_array(w);
	for (int i = 0; i < METRIC_N_SOURCES; i++) {
		if (sources >> i & 1)
			json_write_string(w, metric_sources[i].word);
	}
	json_end_array(w);
}

static void write_metrics(struct json_writer *w, const char *key,
			  const struct ctprof_presence_set *set, bool of_sources)
{
	json_key(w, key);
	json_begin_array(w);
	for (int i = 0; i < METRIC_N; i++) {
		if (metric_rows[i].source != METRIC_SOURCE_NONE &&
		    has_source(set, i) == of_sources && knows(set, i) != of_sources)
			json_write_string(w, metric_rows[i].name);
	}
	json_end_array(w);
}

static void write_reasons(const struct ctprof_snapshot *snapshot, struct json_writer *w)
{
	json_key(w, "reasons");
	json_begin_object(w);
	for (int i = 0; i < METRIC_N_SOURCES; i++) {
		bool any = false;

		for (int j = 0; j < CTPROF_N_REASONS; j++)
			any = any || snapshot->reasons[i][j];
		if (!any)
			continue;
		json_key(w, metric_sources[i].word);
		json_begin_object(w);
		for (int j = 0; j < CTPROF_N_REASONS; j++) {
			if (snapshot->reasons[i][j])
				json_add_u64(w, reason_words[j], snapshot->reasons[i][j]);
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
	json_key(w, "paths");
	json_begin_object(w);
	for (int i = 0; i < METRIC_N_SOURCES; i++)
		json_add_string(w, metric_sources[i].word, path_words[snapshot->paths[i]]);
	json_end_object(w);
	write_reasons(snapshot, w);
	if (snapshot->closed_processes)
		json_add_u64(w, "closed_processes", snapshot->closed_processes);
	json_add_string(w, "cgroup_mount", intern_text(&snapshot->strings, snapshot->cgroup_mount));
	json_key(w, "sets");
	json_begin_array(w);
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

static struct error *load_paths(const struct json_value *value, const struct ctprof_place *outer,
				struct ctprof_snapshot *snapshot)
{
	struct ctprof_place place = { .outer = outer, .key = "paths" };
	struct json_iter it = json_iter_over(value);
	struct error *err = ctprof_value_expect(value, &place, JSON_OBJECT);
	int source, path;

	while (!err && json_iter_next(&it)) {
		struct ctprof_place at = { .outer = &place, .key = it.key.at };

		err = ctprof_value_expect(it.value, &at, JSON_STRING);
		/* Words of a later version say nothing to us. */
		if (!err && find_source(it.key, &source) &&
		    find_word(json_string(it.value), path_words, CTPROF_N_PATHS, &path))
			snapshot->paths[source] = (enum ctprof_path)path;
	}
	return err;
}

static struct error *load_reasons(const struct json_value *value, const struct ctprof_place *outer,
				  struct ctprof_snapshot *snapshot)
{
	struct ctprof_place place = { .outer = outer, .key = "reasons" };
	struct json_iter it = json_iter_over(value);
	struct error *err = ctprof_value_expect(value, &place, JSON_OBJECT);
	int source, reason;

	while (!err && json_iter_next(&it)) {
		struct ctprof_place at = { .outer = &place, .key = it.key.at };
		struct json_iter inner = json_iter_over(it.value);

		err = ctprof_value_expect(it.value, &at, JSON_OBJECT);
		if (err || !find_source(it.key, &source))
			continue;
		while (!err && json_iter_next(&inner)) {
			struct ctprof_place here = { .outer = &at, .key = inner.key.at };

			uint64_t n = 0, *into;

			if (!find_word(inner.key, reason_words, CTPROF_N_REASONS, &reason))
				reason = CTPROF_SNAPSHOT_REASON_OTHER;
			err = ctprof_value_u64(inner.value, &here, &n, NULL);
			into = &snapshot->reasons[source][reason];
			/* Several reasons of a later version are one to us. */
			if (!err && !add_fits_u64(*into, n, into))
				*into = UINT64_MAX;
		}
	}
	return err;
}

/* Sets or clears the metrics that a list of a set names. */
static struct error *load_metrics(const struct json_value *value, const struct ctprof_place *outer,
				  const char *key, bool known, struct ctprof_presence_set *set)
{
	struct ctprof_place place = { .outer = outer, .key = key };
	struct json_iter it = json_iter_over(value);
	struct error *err = ctprof_value_expect(value, &place, JSON_ARRAY);
	enum metric_id id;

	while (!err && json_iter_next(&it)) {
		struct ctprof_place at = { .outer = &place, .index = it.index };

		err = ctprof_value_expect(it.value, &at, JSON_STRING);
		if (!err && ctprof_value_is_there(it.value) &&
		    metric_find(json_string(it.value).at, &id))
			set_known(set, (int)id, known);
	}
	return err;
}

static struct error *load_set(const struct json_value *value, const struct ctprof_place *place,
			      struct ctprof_presence_set *ret)
{
	const struct json_value *sources = json_find(value, "sources");
	struct ctprof_place here = { .outer = place, .key = "sources" };
	struct json_iter it = json_iter_over(sources);
	struct ctprof_presence_set set = { 0 };
	struct error *err;
	int source;

	if (!ctprof_value_is_there(value) || !ctprof_value_is_there(sources))
		return ctprof_place_error(place, "expected an object with sources");
	err = ctprof_value_expect(sources, &here, JSON_ARRAY);
	if (err)
		return err;
	while (json_iter_next(&it)) {
		if (find_source(json_string(it.value), &source))
			set.sources |= UINT32_C(1) << source;
	}
	for (int i = 0; i < METRIC_N; i++)
		set_known(&set, i, has_source(&set, i));
	err = load_metrics(json_find(value, "absent"), place, "absent", false, &set);
	if (!err)
		err = load_metrics(json_find(value, "also"), place, "also", true, &set);
	if (!err)
		*ret = set;
	return err;
}

struct error *ctprof_presence_load(const struct json_value *value, const struct ctprof_place *place,
				   struct ctprof_snapshot *snapshot,
				   struct ctprof_presence_sets *ret)
{
	const struct json_value *sets = json_find(value, "sets");
	struct ctprof_place mount = { .outer = place, .key = "cgroup_mount" };
	struct ctprof_place closed = { .outer = place, .key = "closed_processes" };
	struct ctprof_place here = { .outer = place, .key = "sets" };
	struct json_iter it = json_iter_over(sets);
	struct error *err = ctprof_value_expect(value, place, JSON_OBJECT);

	if (!err)
		err = load_paths(json_find(value, "paths"), place, snapshot);
	if (!err)
		err = load_reasons(json_find(value, "reasons"), place, snapshot);
	if (!err)
		err = ctprof_value_string(json_find(value, "cgroup_mount"), &mount,
					  &snapshot->strings, &snapshot->cgroup_mount);
	if (!err)
		err = ctprof_value_u64(json_find(value, "closed_processes"), &closed,
				       &snapshot->closed_processes, NULL);
	if (!err)
		err = ctprof_value_expect(sets, &here, JSON_ARRAY);
	if (!err && json_length(sets) > CTPROF_LIMIT_SETS)
		err = ctprof_place_error(&here, "%zu sets are past the limit of %d",
					 json_length(sets), CTPROF_LIMIT_SETS);
	while (!err && json_iter_next(&it)) {
		struct ctprof_place at = { .outer = &here, .index = it.index };
		struct ctprof_presence_set set;

		err = load_set(it.value, &at, &set);
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
