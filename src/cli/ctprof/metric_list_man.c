// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "cli/ctprof/metric_list.h"
#include "metric/format.h"

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
	for (int i = 0; i < METRIC_N_CLASSES; i++) {
		if (i != METRIC_CLASS_ANY)
			append_item(into, metric_classes[i].word, metric_classes[i].what);
	}
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
	const char *unit = metric_unit_word(metric->unit);
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
		strbuf_appendf(into, " (%s) = ", metric_unit_word(metric_derived[i].unit));
		append_text(into, strbuf_str(&formula));
		strbuf_append(into, "\n\t");
		append_text(into, metric_derived[i].description);
		strbuf_append(into, "\n\n");
	}
}

static void append_value(const struct metric_list_value *value, void *arg)
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
	metric_list_values(METRIC_LIST_CGROUPS, append_value, into);
}

void metric_list_format_man_pressure(struct strbuf *into)
{
	metric_list_values(METRIC_LIST_PRESSURE, append_value, into);
}

void metric_list_format_man_host(struct strbuf *into)
{
	metric_list_values(METRIC_LIST_HOST, append_value, into);
}
