// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/ctprof/metric_list.h"

#include <string.h>

#include "base/alloc.h"
#include "base/slice.h"
#include "ctprof/cgroup_rows.h"
#include "host/host_facts.h"
#include "json/writer.h"
#include "metric/format.h"
#include "text/terminal.h"

static bool is_gated_by(const struct metric *metric, struct slice option)
{
	struct slice rest = slice_of(metric->configs), word;

	while (slice_take_word(&rest, &word)) {
		if (word.n == option.n && memcmp(word.at, option.at, word.n) == 0)
			return true;
	}
	return false;
}

void metric_format_tags(const struct metric *metric, struct strbuf *into)
{
	struct slice rest = slice_of(metric->configs), word;
	size_t before = into->n;

	if (metric->class != METRIC_CLASS_ANY)
		strbuf_appendf(into, "[%s]", metric_classes[metric->class].word);
	while (slice_take_word(&rest, &word))
		strbuf_appendf(into, "%s[%.*s]", into->n > before ? " " : "", (int)word.n, word.at);
}

static const char *source_word(const struct metric *metric)
{
	return metric->source == METRIC_SOURCE_NONE ? "" : metric_sources[metric->source].word;
}

/* A table where it fits, and otherwise a line and a paragraph for each row. */
static void append_listing(const char *title, const struct text_table *list,
			   const struct text_look *look, struct strbuf *into)
{
	struct text_look readable = *look;

	strbuf_appendf(into, "%s%s## %s%s\n", into->n ? "\n" : "", look->colour ? TEXT_BOLD : "",
		       title, look->colour ? TEXT_RESET : "");
	readable.paragraphs = true;
	text_table_format(list, &readable, into);
}

/* The kernel options of a metric that no metric before it has. */
static void add_new_options(struct text_table *list, size_t metric)
{
	struct slice rest = slice_of(metric_rows[metric].configs), word;

	while (slice_take_word(&rest, &word)) {
		size_t first = 0;

		while (!is_gated_by(&metric_rows[first], word))
			first++;
		if (first != metric)
			continue;
		text_table_addf(list, "[%.*s]", (int)word.n, word.at);
		text_table_addf(list, "only in kernels with CONFIG_%.*s", (int)word.n, word.at);
	}
}

static void append_tags(const struct text_look *look, struct strbuf *into)
{
	_cleanup_text_table_ struct text_table *list = TEXT_TABLE("TAG", "MEANING");

	for (int i = METRIC_CLASS_ANY + 1; i < METRIC_N_CLASSES; i++) {
		text_table_addf(list, "[%s]", metric_classes[i].word);
		text_table_add(list, metric_classes[i].what);
	}
	for (size_t i = 0; i < METRIC_N; i++)
		add_new_options(list, i);
	append_listing("Tag legend", list, look, into);
}

static void append_sections(const struct text_look *look, struct strbuf *into)
{
	_cleanup_text_table_ struct text_table *list = TEXT_TABLE("SECTION", "HEADING", "WHAT");

	for (int i = 0; i < METRIC_N_SECTIONS; i++)
		text_table_add_row(list, metric_sections[i].word, metric_sections[i].heading,
				   metric_sections[i].what);
	append_listing("Sections", list, look, into);
}

static void append_metrics(const struct text_look *look, struct strbuf *into)
{
	_cleanup_text_table_ struct text_table *list = TEXT_TABLE("METRIC", "KIND", "UNIT",
								  "SOURCE", "TAGS", "DESCRIPTION");

	for (int i = 0; i < METRIC_N; i++) {
		const struct metric *metric = &metric_rows[i];
		_cleanup_strbuf_ struct strbuf tags = STRBUF_INIT;

		metric_format_tags(metric, &tags);
		text_table_add_row(list, metric->name, metric_kinds[metric->kind].word,
				   metric_unit_name(metric->unit), source_word(metric),
				   strbuf_str(&tags), metric->description);
	}
	append_listing("Metrics", list, look, into);
}

static void append_derived(const struct text_look *look, struct strbuf *into)
{
	_cleanup_text_table_ struct text_table *list = TEXT_TABLE("METRIC", "UNIT", "FORMULA",
								  "DESCRIPTION");

	for (int i = 0; i < METRIC_N_DERIVED; i++) {
		_cleanup_strbuf_ struct strbuf formula = STRBUF_INIT;

		metric_derived_format_formula((enum metric_derived_id)i, &formula);
		text_table_add_row(list, metric_derived[i].name,
				   metric_unit_name(metric_derived[i].unit), strbuf_str(&formula),
				   metric_derived[i].description);
	}
	append_listing("Derived metrics", list, look, into);
}

/*
 * What a snapshot says about cgroups, stalls and the host besides threads: the rows of
 * procfs/cgroup.def, procfs/pressure.h and host/host_facts.h.
 */
enum part { PART_CGROUPS, PART_PRESSURE, PART_HOST, N_PARTS };

struct value {
	const char *name, *description;
	const char *unit, *section, *file; /* "" for none */
};

typedef void (*value_fn)(const struct value *value, void *arg);

static void list_pressure(enum metric_section section, value_fn take, void *arg)
{
	static const char *const who[] = { "some tasks", "all tasks" };
	const int n = PROCFS_N_PRESSURE_HALVES * CTPROF_N_PRESSURE_ROWS;

	for (int i = 0; i < PROCFS_N_PRESSURE_RESOURCES * n; i++) {
		const struct ctprof_pressure_row *row =
			&ctprof_pressure_rows[i % CTPROF_N_PRESSURE_ROWS];
		const char *resource = procfs_pressure_resource_names[i / n];
		int half = i % n / CTPROF_N_PRESSURE_ROWS;
		_cleanup_free_ char *name = xasprintf("%s.%s.%s", resource,
						      procfs_pressure_half_names[half], row->name);
		_cleanup_free_ char *file = section == METRIC_SECTION_HOST_PRESSURE
						    ? xasprintf("/proc/pressure/%s", resource)
						    : xasprintf("%s.pressure", resource);
		_cleanup_free_ char *description = xasprintf("%s stalled on %s: %s", who[half],
							     resource, row->description);

		take(&(struct value){ name, description,
				      row->is_percent ? "percent"
						      : metric_unit_name(METRIC_UNIT_US),
				      metric_sections[section].word, file },
		     arg);
	}
}

static void list_values(enum part part, value_fn take, void *arg)
{
	for (size_t i = 0; part == PART_CGROUPS && i < CTPROF_N_CGROUP_ROWS; i++) {
		const struct ctprof_cgroup_row *row = &ctprof_cgroup_rows[i];

		take(&(struct value){ row->name, row->description, metric_unit_name(row->unit),
				      metric_sections[row->section].word, row->file },
		     arg);
	}
	if (part == PART_PRESSURE) {
		list_pressure(METRIC_SECTION_PRESSURE, take, arg);
		list_pressure(METRIC_SECTION_HOST_PRESSURE, take, arg);
	}
	for (size_t i = 0; part == PART_HOST && i < host_facts_rows.n; i++)
		take(&(struct value){ host_facts_rows.at[i].name, host_facts_rows.at[i].means, "",
				      "", "" },
		     arg);
}

static void add_cells(const struct value *value, void *table)
{
	text_table_add_row(table, value->name, value->unit, value->section, value->file,
			   value->description);
}

static void add_fact_cells(const struct value *value, void *table)
{
	text_table_add_row(table, value->name, value->description);
}

static void append_values(const struct text_look *look, struct strbuf *into)
{
	static const char *const titles[] = { "Values of cgroups", "Pressure", "Host" };

	for (int part = 0; part < N_PARTS; part++) {
		bool facts = part == PART_HOST;
		_cleanup_text_table_ struct text_table *list =
			facts ? TEXT_TABLE("FACT", "DESCRIPTION")
			      : TEXT_TABLE("VALUE", "UNIT", "SECTION", "FILE", "DESCRIPTION");

		list_values((enum part)part, facts ? add_fact_cells : add_cells, list);
		append_listing(titles[part], list, look, into);
	}
}

void metric_list_format_text(const struct text_look *look, struct strbuf *into)
{
	append_tags(look, into);
	append_sections(look, into);
	append_metrics(look, into);
	append_derived(look, into);
	append_values(look, into);
}

static void add_options(struct json_writer *w, const char *configs)
{
	struct slice rest = slice_of(configs), word;

	json_open_array(w, "configs");
	while (slice_take_word(&rest, &word))
		json_write_string_n(w, word.at, word.n);
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
	json_add_string(w, "unit", or_null(metric_unit_name(metric->unit)));
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
	json_add_string(w, "unit", metric_unit_name(metric_derived[id].unit));
	json_add_string(w, "section", metric_sections[metric_derived[id].section].word);
	json_add_string(w, "formula", strbuf_str(&formula));
	json_open_array(w, "inputs");
	for (size_t i = 0; i < metric_derived[id].n_inputs; i++)
		json_write_string(w, metric_rows[metric_derived[id].inputs[i]].name);
	json_end_array(w);
	json_add_string(w, "description", metric_derived[id].description);
	json_end_object(w);
}

static void add_value(const struct value *value, void *arg)
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
	json_open_object(&w, "classes");
	for (int i = METRIC_CLASS_ANY + 1; i < METRIC_N_CLASSES; i++)
		json_add_string(&w, metric_classes[i].word, metric_classes[i].what);
	json_end_object(&w);
	json_open_object(&w, "sources");
	for (int i = 0; i < METRIC_N_SOURCES; i++)
		json_add_string(&w, metric_sources[i].word, metric_sources[i].what);
	json_end_object(&w);
	json_open_array(&w, "sections");
	for (int i = 0; i < METRIC_N_SECTIONS; i++) {
		json_begin_object(&w);
		json_add_string(&w, "name", metric_sections[i].word);
		json_add_string(&w, "heading", metric_sections[i].heading);
		json_add_string(&w, "description", metric_sections[i].what);
		json_end_object(&w);
	}
	json_end_array(&w);
	json_open_array(&w, "metrics");
	for (int i = 0; i < METRIC_N; i++)
		add_metric(&w, &metric_rows[i]);
	json_end_array(&w);
	json_open_array(&w, "derived");
	for (int i = 0; i < METRIC_N_DERIVED; i++)
		add_derived(&w, (enum metric_derived_id)i);
	json_end_array(&w);
	for (int i = 0; i < N_PARTS; i++) {
		json_open_array(&w, parts[i]);
		list_values((enum part)i, add_value, &w);
		json_end_array(&w);
	}
	json_end_document(&w);
}

/* Underscores would begin underlined text. */
static void append_text(struct strbuf *into, const char *text)
{
	for (; *text; text++) {
		if (strchr("_*\\[]<>#", *text))
			strbuf_append_char(into, '\\');
		strbuf_append_char(into, *text);
	}
}

static void append_term(struct strbuf *into, const char *term)
{
	strbuf_append_char(into, '*');
	append_text(into, term);
	strbuf_append_char(into, '*');
}

static void append_item(struct strbuf *into, const char *word, const char *what)
{
	strbuf_append(into, "- ");
	append_term(into, word);
	strbuf_append(into, ": ");
	append_text(into, what);
	strbuf_append_char(into, '\n');
}

void metric_list_format_man_kinds(struct strbuf *into)
{
	for (int i = 0; i < METRIC_N_KINDS; i++)
		append_item(into, metric_kinds[i].word, metric_kinds[i].what);
	strbuf_append_char(into, '\n');
}

void metric_list_format_man_tags(struct strbuf *into)
{
	for (int i = METRIC_CLASS_ANY + 1; i < METRIC_N_CLASSES; i++)
		append_item(into, metric_classes[i].word, metric_classes[i].what);
	strbuf_append_char(into, '\n');
}

void metric_list_format_man_sections(struct strbuf *into)
{
	for (int i = 0; i < METRIC_N_SECTIONS; i++)
		append_item(into, metric_sections[i].word, metric_sections[i].what);
	strbuf_append_char(into, '\n');
}

void metric_list_format_man_sources(struct strbuf *into)
{
	for (int i = 0; i < METRIC_N_SOURCES; i++)
		append_item(into, metric_sources[i].word, metric_sources[i].what);
	strbuf_append_char(into, '\n');
}

static void append_facts(struct strbuf *into, const struct metric *metric)
{
	const char *unit = metric_unit_name(metric->unit);
	_cleanup_strbuf_ struct strbuf tags = STRBUF_INIT;

	append_text(into, metric_kinds[metric->kind].word);
	if (*unit)
		strbuf_appendf(into, ", %s", unit);
	if (metric->source != METRIC_SOURCE_NONE) {
		strbuf_append(into, ", from ");
		append_text(into, metric_sources[metric->source].word);
	}
	metric_format_tags(metric, &tags);
	if (tags.n) {
		strbuf_append(into, ", ");
		append_text(into, strbuf_str(&tags));
	}
}

void metric_list_format_man_metrics(struct strbuf *into)
{
	for (int i = 0; i < METRIC_N; i++) {
		append_term(into, metric_rows[i].name);
		strbuf_append(into, " (");
		append_facts(into, &metric_rows[i]);
		strbuf_append(into, ")\n\t");
		append_text(into, metric_rows[i].description);
		strbuf_append(into, "\n\n");
	}
}

void metric_list_format_man_derived(struct strbuf *into)
{
	for (int i = 0; i < METRIC_N_DERIVED; i++) {
		_cleanup_strbuf_ struct strbuf formula = STRBUF_INIT;

		metric_derived_format_formula((enum metric_derived_id)i, &formula);
		append_term(into, metric_derived[i].name);
		strbuf_appendf(into, " (%s) = ", metric_unit_name(metric_derived[i].unit));
		append_text(into, strbuf_str(&formula));
		strbuf_append(into, "\n\t");
		append_text(into, metric_derived[i].description);
		strbuf_append(into, "\n\n");
	}
}

static void append_value(const struct value *value, void *arg)
{
	struct strbuf *into = arg;

	append_term(into, value->name);
	if (*value->file) {
		strbuf_appendf(into, " (%s%sfrom ", value->unit, *value->unit ? ", " : "");
		append_text(into, value->file);
		strbuf_append_char(into, ')');
	}
	strbuf_append(into, "\n\t");
	append_text(into, value->description);
	strbuf_append(into, "\n\n");
}

void metric_list_format_man_cgroups(struct strbuf *into)
{
	list_values(PART_CGROUPS, append_value, into);
}

void metric_list_format_man_pressure(struct strbuf *into)
{
	list_values(PART_PRESSURE, append_value, into);
}

void metric_list_format_man_host(struct strbuf *into)
{
	list_values(PART_HOST, append_value, into);
}
