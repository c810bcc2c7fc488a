// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/group/names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "metric/format.h"

struct ctprof_group_keys {
	struct ctprof_group_rules rules;
	struct intern texts;
	/*
	 * By string of texts: whether it is a name that was met, and for a pattern how many
	 * different names have it.
	 */
	VEC(bool) met;
	VEC(uint32_t) names_of;
};

struct ctprof_group_keys *ctprof_group_keys_new(const struct ctprof_group_rules *rules)
{
	struct ctprof_group_keys *keys = xnew(struct ctprof_group_keys);

	keys->rules = *rules;
	intern_init(&keys->texts);
	return keys;
}

void ctprof_group_keys_free(struct ctprof_group_keys *keys)
{
	if (!keys)
		return;
	intern_deinit(&keys->texts);
	vec_deinit(&keys->met);
	vec_deinit(&keys->names_of);
	free(keys);
}

const struct intern *ctprof_group_keys_texts(const struct ctprof_group_keys *keys)
{
	return &keys->texts;
}

const struct ctprof_group_rules *ctprof_group_keys_rules(const struct ctprof_group_keys *keys)
{
	return &keys->rules;
}

static uint32_t pattern_of(struct ctprof_group_keys *keys, const char *name)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	metric_pattern_format(name, &text);
	return intern_add(&keys->texts, strbuf_str(&text));
}

/* A name alone with its pattern keeps its number: only these two axes ask how many there are. */
static bool counts_names(const struct ctprof_group_rules *rules)
{
	return !rules->literal_names &&
	       (rules->axis == CTPROF_GROUP_AXIS_PCOMM || rules->axis == CTPROF_GROUP_AXIS_COMM);
}

static void fill_up(struct ctprof_group_keys *keys)
{
	while (keys->met.n < keys->texts.strings.n)
		vec_push(&keys->met, false);
	while (keys->names_of.n < keys->texts.strings.n)
		vec_push(&keys->names_of, 0);
}

void ctprof_group_keys_add(struct ctprof_group_keys *keys, const struct ctprof_snapshot *snapshot)
{
	_cleanup_free_ bool *seen = NULL;

	if (!counts_names(&keys->rules))
		return;
	seen = xcalloc(snapshot->strings.strings.n, sizeof(*seen));
	for (size_t i = 0; i < snapshot->threads.n; i++) {
		const struct metric_thread_sample *sample = &snapshot->threads.at[i];
		uint32_t id = keys->rules.axis == CTPROF_GROUP_AXIS_PCOMM ? sample->pcomm
									  : sample->comm;
		uint32_t name, pattern;

		if (seen[id])
			continue;
		seen[id] = true;
		name = intern_add(&keys->texts, intern_text(&snapshot->strings, id));
		pattern = pattern_of(keys, intern_text(&snapshot->strings, id));
		fill_up(keys);
		if (!keys->met.at[name])
			keys->names_of.at[pattern]++;
		keys->met.at[name] = true;
	}
}

void ctprof_group_names_init(struct ctprof_group_names *names, struct ctprof_group_keys *keys,
			     const struct ctprof_snapshot *snapshot)
{
	size_t n = snapshot->strings.strings.n;

	*names = (struct ctprof_group_names){
		.keys = keys,
		.snapshot = snapshot,
		.names = xcalloc(n, sizeof(*names->names)),
		.cgroups = xcalloc(n, sizeof(*names->cgroups)),
	};
}

void ctprof_group_names_deinit(struct ctprof_group_names *names)
{
	free(names->names);
	free(names->cgroups);
	*names = (struct ctprof_group_names){ 0 };
}

uint32_t ctprof_group_names_cgroup(struct ctprof_group_names *names, uint32_t path)
{
	if (!names->cgroups[path]) {
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

		ctprof_cgroup_key_format(&names->keys->rules.cgroups,
					 intern_text(&names->snapshot->strings, path), &text);
		names->cgroups[path] = intern_add(&names->keys->texts, strbuf_str(&text)) + 1;
	}
	return names->cgroups[path] - 1;
}

/* By the rules of the axis: itself, its pattern, or whichever more than one name has. */
static uint32_t name_of(struct ctprof_group_names *names, uint32_t id)
{
	struct ctprof_group_keys *keys = names->keys;
	const char *text = intern_text(&names->snapshot->strings, id);
	uint32_t pattern;

	if (names->names[id])
		return names->names[id] - 1;
	if (keys->rules.literal_names || keys->rules.axis == CTPROF_GROUP_AXIS_COMM_EXACT) {
		names->names[id] = intern_add(&keys->texts, text) + 1;
	} else {
		pattern = pattern_of(keys, text);
		fill_up(keys);
		names->names[id] = 1 + (counts_names(&keys->rules) && keys->names_of.at[pattern] < 2
						? intern_add(&keys->texts, text)
						: pattern);
	}
	return names->names[id] - 1;
}

static uint32_t numbered(struct ctprof_group_names *names, uint32_t name, uint32_t number)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	strbuf_appendf(&text, "%s[%" PRIu32 "]", intern_text(&names->snapshot->strings, name),
		       number);
	return intern_add(&names->keys->texts, strbuf_str(&text));
}

struct ctprof_group_key ctprof_group_names_key(struct ctprof_group_names *names,
					       const struct metric_thread_sample *sample)
{
	struct ctprof_group_key key = { 0 };

	switch (names->keys->rules.axis) {
	case CTPROF_GROUP_AXIS_PCOMM:
		key.process = name_of(names, sample->pcomm);
		break;
	case CTPROF_GROUP_AXIS_CGROUP:
		key.cgroup = ctprof_group_names_cgroup(names, sample->cgroup);
		break;
	case CTPROF_GROUP_AXIS_COMM:
	case CTPROF_GROUP_AXIS_COMM_EXACT:
		key.thread = name_of(names, sample->comm);
		break;
	case CTPROF_GROUP_AXIS_ALL:
		key.cgroup = ctprof_group_names_cgroup(names, sample->cgroup);
		key.process = name_of(names, sample->pcomm);
		key.thread = name_of(names, sample->comm);
		break;
	case CTPROF_GROUP_AXIS_PROCESS:
		key.process = numbered(names, sample->pcomm, sample->tgid);
		break;
	case CTPROF_GROUP_AXIS_THREAD:
		key.process = numbered(names, sample->pcomm, sample->tgid);
		key.thread = numbered(names, sample->comm, sample->tid);
		break;
	case CTPROF_N_AXES:
		break;
	}
	return key;
}

uint32_t ctprof_group_names_literal(struct ctprof_group_names *names, uint32_t string)
{
	return intern_add(&names->keys->texts, intern_text(&names->snapshot->strings, string));
}

uint32_t ctprof_group_names_smaps(struct ctprof_group_names *names,
				  const struct metric_thread_sample *leader)
{
	const struct ctprof_group_rules *rules = &names->keys->rules;

	if (rules->literal_names || rules->axis == CTPROF_GROUP_AXIS_PROCESS ||
	    rules->axis == CTPROF_GROUP_AXIS_THREAD)
		return numbered(names, leader->pcomm, leader->tgid);
	return pattern_of(names->keys, intern_text(&names->snapshot->strings, leader->pcomm));
}

size_t ctprof_key_table_add(struct ctprof_key_table *table, const struct ctprof_group_key *key)
{
	uint64_t hash = hash_bytes(HASH_INIT, key, sizeof(*key));
	size_t at = 0;
	uint32_t i;

	while (hash_index_next(&table->index, hash, &at, &i))
		if (memcmp(&table->keys.at[i], key, sizeof(*key)) == 0)
			return i;
	hash_index_add(&table->index, hash, (uint32_t)table->keys.n);
	vec_push(&table->keys, *key);
	return table->keys.n - 1;
}

void ctprof_key_table_deinit(struct ctprof_key_table *table)
{
	vec_deinit(&table->keys);
	hash_index_deinit(&table->index);
}
