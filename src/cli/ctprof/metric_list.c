// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/ctprof/metric_list.h"

#include <string.h>

#include "base/vec.h"
#include "metric/format.h"
#include "text/terminal.h"
#include "text/wrap.h"

/* Kernel options that gate metrics, in the order of their first use. */
struct options {
	size_t n;
	char *at[N_METRICS];
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
	for (int i = 0; i < N_METRICS; i++) {
		const char *at = metrics[i].configs;

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

static void append_title(const char *title, const struct table_look *look, struct strbuf *into)
{
	strbuf_appendf(into, "%s%s## %s%s\n", into->n ? "\n" : "",
		       look->colour ? TERMINAL_BOLD : "", title,
		       look->colour ? TERMINAL_RESET : "");
}

static size_t widest_line(const char *text)
{
	size_t widest = 0;

	while (*text) {
		size_t n = strcspn(text, "\n");

		widest = n > widest ? n : widest;
		text += n + (text[n] == '\n');
	}
	return widest;
}

/* A list of rows as a table where it fits, and otherwise as a line and a paragraph each. */
struct listing {
	const struct table_column *columns;
	size_t n_columns;
	VEC(char *) cells;
};

static void listing_deinit(struct listing *listing)
{
	for (size_t i = 0; i < listing->cells.n; i++)
		free(listing->cells.at[i]);
	vec_deinit(&listing->cells);
}

static void listing_add(struct listing *listing, const char *text)
{
	vec_push(&listing->cells, xstrdup(text));
}

static void append_paragraphs(const struct listing *listing, const struct table_look *look,
			      struct strbuf *into)
{
	size_t last = listing->n_columns - 1;

	for (size_t i = 0; i < listing->cells.n; i += listing->n_columns) {
		strbuf_appendf(into, "%s%s%s", look->colour ? TERMINAL_BOLD : "",
			       listing->cells.at[i], look->colour ? TERMINAL_RESET : "");
		for (size_t c = 1; c < last; c++) {
			const char *cell = listing->cells.at[i + c];

			strbuf_appendf(into, "%s%s", *cell ? "  " : "", cell);
		}
		strbuf_append(into, "\n    ");
		text_wrap(into, listing->cells.at[i + last], 4, look->columns);
		strbuf_append_char(into, '\n');
	}
}

static void append_listing(const struct listing *listing, const struct table_look *look,
			   struct strbuf *into)
{
	_cleanup_(cleanup_table) struct table *table = table_new(listing->columns,
								 listing->n_columns);
	_cleanup_strbuf_ struct strbuf plain = STRBUF_INIT;
	struct table_look unbound = { .colour = false };

	for (size_t i = 0; i < listing->cells.n; i++)
		table_add(table, listing->cells.at[i]);
	table_format(table, &unbound, &plain);
	if (look->columns && widest_line(strbuf_str(&plain)) > look->columns) {
		append_paragraphs(listing, look, into);
		return;
	}
	unbound.colour = look->colour;
	table_format(table, &unbound, into);
}

static void append_tags(const struct table_look *look, struct strbuf *into)
{
	static const struct table_column columns[] = { { .title = "TAG" }, { .title = "MEANING" } };
	_cleanup_(listing_deinit) struct listing list = { columns, ARRAY_SIZE(columns), VEC_INIT };
	_cleanup_(options_deinit) struct options options = { 0 };

	find_options(&options);
	for (int i = 0; i < N_METRIC_CLASSES; i++) {
		_cleanup_free_ char *tag = xasprintf("[%s]", metric_classes[i].word);

		if (i == METRIC_CLASS_ANY)
			continue;
		listing_add(&list, tag);
		listing_add(&list, metric_classes[i].what);
	}
	for (size_t i = 0; i < options.n; i++) {
		_cleanup_free_ char *tag = xasprintf("[%s]", options.at[i]);
		_cleanup_free_ char *what = xasprintf("kept by kernels with CONFIG_%s",
						      options.at[i]);

		listing_add(&list, tag);
		listing_add(&list, what);
	}
	append_title("Tag legend", look, into);
	append_listing(&list, look, into);
}

static void append_sections(const struct table_look *look, struct strbuf *into)
{
	static const struct table_column columns[] = { { .title = "SECTION" },
						       { .title = "HEADING" },
						       { .title = "WHAT" } };
	_cleanup_(listing_deinit) struct listing list = { columns, ARRAY_SIZE(columns), VEC_INIT };

	for (int i = 0; i < N_METRIC_SECTIONS; i++) {
		listing_add(&list, metric_sections[i].word);
		listing_add(&list, metric_sections[i].heading);
		listing_add(&list, metric_sections[i].what);
	}
	append_title("Sections", look, into);
	append_listing(&list, look, into);
}

static const char *source_word(const struct metric *metric)
{
	return metric->source == METRIC_SOURCE_NONE ? "" : metric_sources[metric->source].word;
}

static void append_metrics(const struct table_look *look, struct strbuf *into)
{
	static const struct table_column columns[] = {
		{ .title = "METRIC" }, { .title = "KIND" }, { .title = "UNIT" },
		{ .title = "SOURCE" }, { .title = "TAGS" }, { .title = "DESCRIPTION" },
	};
	_cleanup_(listing_deinit) struct listing list = { columns, ARRAY_SIZE(columns), VEC_INIT };

	for (int i = 0; i < N_METRICS; i++) {
		_cleanup_strbuf_ struct strbuf tags = STRBUF_INIT;

		metric_format_tags(&metrics[i], &tags);
		listing_add(&list, metrics[i].name);
		listing_add(&list, metric_kinds[metrics[i].kind].word);
		listing_add(&list, metric_unit_word(metrics[i].unit));
		listing_add(&list, source_word(&metrics[i]));
		listing_add(&list, strbuf_str(&tags));
		listing_add(&list, metrics[i].description);
	}
	append_title("Metrics", look, into);
	append_listing(&list, look, into);
}

static void append_derived(const struct table_look *look, struct strbuf *into)
{
	static const struct table_column columns[] = { { .title = "METRIC" },
						       { .title = "UNIT" },
						       { .title = "FORMULA" },
						       { .title = "DESCRIPTION" } };
	_cleanup_(listing_deinit) struct listing list = { columns, ARRAY_SIZE(columns), VEC_INIT };

	for (int i = 0; i < N_DERIVED; i++) {
		_cleanup_strbuf_ struct strbuf formula = STRBUF_INIT;

		derived_format_formula((enum derived_id)i, &formula);
		listing_add(&list, derived[i].name);
		listing_add(&list, metric_unit_word(derived[i].unit));
		listing_add(&list, strbuf_str(&formula));
		listing_add(&list, derived[i].description);
	}
	append_title("Derived metrics", look, into);
	append_listing(&list, look, into);
}

void metric_list_format_text(const struct table_look *look, struct strbuf *into)
{
	append_tags(look, into);
	append_sections(look, into);
	append_metrics(look, into);
	append_derived(look, into);
}
