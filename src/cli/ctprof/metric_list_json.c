// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "cli/ctprof/metric_list.h"
#include "json/writer.h"
#include "metric/format.h"

static void add_options(struct json_writer *w, const char *configs)
{
	json_key(w, "configs");
	json_begin_array(w);
	while (*configs) {
		size_t n = strcspn(configs, " ");

		json_write_string_n(w, configs, n);
		configs += n + strspn(configs + n, " ");
	}
	json_end_array(w);
}

/* "" has no member. */
static const char *or_null(const char *word)
{
	return *word ? word : NULL;
}

static void add_metric(struct json_writer *w, const struct metric *metric)
{
	json_begin_object(w);
	json_add_string(w, "name", metric->name);
	json_add_string(w, "kind", metric_kinds[metric->kind].word);
	json_add_string(w, "reduces_to", metric_kinds[metric->kind].what);
	json_add_string(w, "unit", or_null(metric_unit_word(metric->unit)));
	if (metric->source != METRIC_SOURCE_NONE)
		json_add_string(w, "source", metric_sources[metric->source].word);
	json_add_string(w, "section", metric_sections[metric->section].word);
	json_add_string(w, "class", or_null(metric_classes[metric->class].word));
	add_options(w, metric->configs);
	json_add_string(w, "description", metric->description);
	json_end_object(w);
}

static void add_derived(struct json_writer *w, enum metric_derived_id id)
{
	_cleanup_strbuf_ struct strbuf formula = STRBUF_INIT;

	metric_derived_format_formula(id, &formula);
	json_begin_object(w);
	json_add_string(w, "name", metric_derived[id].name);
	json_add_string(w, "unit", metric_unit_word(metric_derived[id].unit));
	json_add_string(w, "section", metric_sections[metric_derived[id].section].word);
	json_add_string(w, "formula", strbuf_str(&formula));
	json_key(w, "inputs");
	json_begin_array(w);
	for (size_t i = 0; i < metric_derived[id].n_inputs; i++)
		json_write_string(w, metric_rows[metric_derived[id].inputs[i]].name);
	json_end_array(w);
	json_add_string(w, "description", metric_derived[id].description);
	json_end_object(w);
}

static void add_value(const struct metric_list_value *value, void *arg)
{
	struct json_writer *w = arg;

	json_begin_object(w);
	json_add_string(w, "name", value->name);
	json_add_string(w, "unit", or_null(value->unit));
	json_add_string(w, "section", or_null(value->section));
	json_add_string(w, "file", or_null(value->file));
	json_add_string(w, "description", value->description);
	json_end_object(w);
}

void metric_list_format_json(struct strbuf *into)
{
	static const char *const parts[] = { "cgroups", "pressure", "host" };
	struct json_writer w = json_writer_to(into, JSON_PRETTY);

	json_begin_object(&w);
	json_key(&w, "classes");
	json_begin_object(&w);
	for (int i = 0; i < METRIC_N_CLASSES; i++) {
		if (i != METRIC_CLASS_ANY)
			json_add_string(&w, metric_classes[i].word, metric_classes[i].what);
	}
	json_end_object(&w);
	json_key(&w, "sources");
	json_begin_object(&w);
	for (int i = 0; i < METRIC_N_SOURCES; i++)
		json_add_string(&w, metric_sources[i].word, metric_sources[i].what);
	json_end_object(&w);
	json_key(&w, "sections");
	json_begin_array(&w);
	for (int i = 0; i < METRIC_N_SECTIONS; i++) {
		json_begin_object(&w);
		json_add_string(&w, "name", metric_sections[i].word);
		json_add_string(&w, "heading", metric_sections[i].heading);
		json_add_string(&w, "description", metric_sections[i].what);
		json_end_object(&w);
	}
	json_end_array(&w);
	json_key(&w, "metrics");
	json_begin_array(&w);
	for (int i = 0; i < METRIC_N; i++)
		add_metric(&w, &metric_rows[i]);
	json_end_array(&w);
	json_key(&w, "derived");
	json_begin_array(&w);
	for (int i = 0; i < METRIC_N_DERIVED; i++)
		add_derived(&w, (enum metric_derived_id)i);
	json_end_array(&w);
	for (int i = 0; i < METRIC_LIST_N_PARTS; i++) {
		json_key(&w, parts[i]);
		json_begin_array(&w);
		metric_list_values((enum metric_list_part)i, add_value, &w);
		json_end_array(&w);
	}
	json_end_object(&w);
	strbuf_append_char(into, '\n');
}
