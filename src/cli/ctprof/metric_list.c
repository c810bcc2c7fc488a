// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/ctprof/metric_list.h"

#include <string.h>

#include "base/alloc.h"
#include "ctprof/cgroup_rows.h"
#include "host/host_facts.h"
#include "metric/format.h"
#include "text/terminal.h"

/* Kernel options that gate metrics, in the order of their first use. */
struct options {
	size_t n;
	char *at[METRIC_N];
};

static void options_deinit(struct options *options)
{
	for (size_t i = 0; i < options->n; i++)
		free(options->at[i]);
}

static void add_option(struct options *options, const char *at, size_t n)
{
	for (size_t i = 0; i < options->n; i++) {
		if (strlen(options->at[i]) == n && memcmp(options->at[i], at, n) == 0)
			return;
	}
	options->at[options->n++] = xstrndup(at, n);
}

static void find_options(struct options *ret)
{
	for (int i = 0; i < METRIC_N; i++) {
		const char *at = metric_rows[i].configs;

		while (*at) {
			size_t n = strcspn(at, " ");

			add_option(ret, at, n);
			at += n + strspn(at + n, " ");
		}
	}
}

void metric_format_tags(const struct metric *metric, struct strbuf *into)
{
	const char *at = metric->configs;
	size_t before = into->n;

	if (metric->class != METRIC_CLASS_ANY)
		strbuf_appendf(into, "[%s]", metric_classes[metric->class].word);
	while (*at) {
		size_t n = strcspn(at, " ");

		strbuf_append(into, into->n > before ? " [" : "[");
		strbuf_append_bytes(into, at, n);
		strbuf_append_char(into, ']');
		at += n + strspn(at + n, " ");
	}
}

static void append_title(const char *title, const struct text_look *look, struct strbuf *into)
{
	strbuf_appendf(into, "%s%s## %s%s\n", into->n ? "\n" : "", look->colour ? TEXT_BOLD : "",
		       title, look->colour ? TEXT_RESET : "");
}

/* A table where it fits, and otherwise a line and a paragraph for each row. */
static void append_listing(const struct text_table *list, const struct text_look *look,
			   struct strbuf *into)
{
	struct text_look readable = *look;

	readable.paragraphs = true;
	text_table_format(list, &readable, into);
}

static void append_tags(const struct text_look *look, struct strbuf *into)
{
	static const struct text_column columns[] = { { .title = "TAG" }, { .title = "MEANING" } };
	_cleanup_(cleanup_text_table) struct text_table *list = text_table_new(columns,
									       ARRAY_SIZE(columns));
	_cleanup_(options_deinit) struct options options = { 0 };

	find_options(&options);
	for (int i = 0; i < METRIC_N_CLASSES; i++) {
		_cleanup_free_ char *tag = xasprintf("[%s]", metric_classes[i].word);

		if (i == METRIC_CLASS_ANY)
			continue;
		text_table_add(list, tag);
		text_table_add(list, metric_classes[i].what);
	}
	for (size_t i = 0; i < options.n; i++) {
		_cleanup_free_ char *tag = xasprintf("[%s]", options.at[i]);
		_cleanup_free_ char *what = xasprintf("only in kernels with CONFIG_%s",
						      options.at[i]);

		text_table_add(list, tag);
		text_table_add(list, what);
	}
	append_title("Tag legend", look, into);
	append_listing(list, look, into);
}

static void append_sections(const struct text_look *look, struct strbuf *into)
{
	static const struct text_column columns[] = { { .title = "SECTION" },
						      { .title = "HEADING" },
						      { .title = "WHAT" } };
	_cleanup_(cleanup_text_table) struct text_table *list = text_table_new(columns,
									       ARRAY_SIZE(columns));

	for (int i = 0; i < METRIC_N_SECTIONS; i++) {
		text_table_add(list, metric_sections[i].word);
		text_table_add(list, metric_sections[i].heading);
		text_table_add(list, metric_sections[i].what);
	}
	append_title("Sections", look, into);
	append_listing(list, look, into);
}

static const char *source_word(const struct metric *metric)
{
	return metric->source == METRIC_SOURCE_NONE ? "" : metric_sources[metric->source].word;
}

static void append_metrics(const struct text_look *look, struct strbuf *into)
{
	static const struct text_column columns[] = {
		{ .title = "METRIC" }, { .title = "KIND" }, { .title = "UNIT" },
		{ .title = "SOURCE" }, { .title = "TAGS" }, { .title = "DESCRIPTION" },
	};
	_cleanup_(cleanup_text_table) struct text_table *list = text_table_new(columns,
									       ARRAY_SIZE(columns));

	for (int i = 0; i < METRIC_N; i++) {
		_cleanup_strbuf_ struct strbuf tags = STRBUF_INIT;

		metric_format_tags(&metric_rows[i], &tags);
		text_table_add(list, metric_rows[i].name);
		text_table_add(list, metric_kinds[metric_rows[i].kind].word);
		text_table_add(list, metric_unit_word(metric_rows[i].unit));
		text_table_add(list, source_word(&metric_rows[i]));
		text_table_add(list, strbuf_str(&tags));
		text_table_add(list, metric_rows[i].description);
	}
	append_title("Metrics", look, into);
	append_listing(list, look, into);
}

static void append_derived(const struct text_look *look, struct strbuf *into)
{
	static const struct text_column columns[] = { { .title = "METRIC" },
						      { .title = "UNIT" },
						      { .title = "FORMULA" },
						      { .title = "DESCRIPTION" } };
	_cleanup_(cleanup_text_table) struct text_table *list = text_table_new(columns,
									       ARRAY_SIZE(columns));

	for (int i = 0; i < METRIC_N_DERIVED; i++) {
		_cleanup_strbuf_ struct strbuf formula = STRBUF_INIT;

		metric_derived_format_formula((enum metric_derived_id)i, &formula);
		text_table_add(list, metric_derived[i].name);
		text_table_add(list, metric_unit_word(metric_derived[i].unit));
		text_table_add(list, strbuf_str(&formula));
		text_table_add(list, metric_derived[i].description);
	}
	append_title("Derived metrics", look, into);
	append_listing(list, look, into);
}

static void list_pressure(enum metric_section section, metric_list_fn take, void *arg)
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

		take(&(struct metric_list_value){ name, description,
						  row->is_percent
							  ? "percent"
							  : metric_unit_word(METRIC_UNIT_US),
						  metric_sections[section].word, file },
		     arg);
	}
}

void metric_list_values(enum metric_list_part part, metric_list_fn take, void *arg)
{
	for (size_t i = 0; part == METRIC_LIST_CGROUPS && i < CTPROF_N_CGROUP_ROWS; i++) {
		const struct ctprof_cgroup_row *row = &ctprof_cgroup_rows[i];

		take(&(struct metric_list_value){ row->name, row->description,
						  metric_unit_word(row->unit),
						  metric_sections[row->section].word, row->file },
		     arg);
	}
	if (part == METRIC_LIST_PRESSURE) {
		list_pressure(METRIC_SECTION_PRESSURE, take, arg);
		list_pressure(METRIC_SECTION_HOST_PRESSURE, take, arg);
	}
	for (size_t i = 0; part == METRIC_LIST_HOST && i < host_facts_rows.n; i++)
		take(&(struct metric_list_value){ host_facts_rows.at[i].name,
						  host_facts_rows.at[i].means, "", "", "" },
		     arg);
}

static void add_value(const struct metric_list_value *value, void *arg)
{
	text_table_add(arg, value->name);
	text_table_add(arg, value->unit);
	text_table_add(arg, value->section);
	text_table_add(arg, value->file);
	text_table_add(arg, value->description);
}

static void add_fact(const struct metric_list_value *value, void *arg)
{
	text_table_add(arg, value->name);
	text_table_add(arg, value->description);
}

static void append_values(const struct text_look *look, struct strbuf *into)
{
	static const struct text_column columns[] = {
		{ .title = "VALUE" }, { .title = "UNIT" },	  { .title = "SECTION" },
		{ .title = "FILE" },  { .title = "DESCRIPTION" },
	};
	static const struct text_column fact_columns[] = { { .title = "FACT" },
							   { .title = "DESCRIPTION" } };
	static const char *const titles[] = { "Values of cgroups", "Pressure", "Host" };

	for (int part = 0; part < METRIC_LIST_N_PARTS; part++) {
		bool facts = part == METRIC_LIST_HOST;
		_cleanup_(cleanup_text_table) struct text_table *list =
			facts ? text_table_new(fact_columns, ARRAY_SIZE(fact_columns))
			      : text_table_new(columns, ARRAY_SIZE(columns));

		metric_list_values((enum metric_list_part)part, facts ? add_fact : add_value, list);
		append_title(titles[part], look, into);
		append_listing(list, look, into);
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
