// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables of rows: columns where a few rows say most, else a line for each row, in blocks. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/ctprof/show.h"
#include "text/terminal.h"

/* The table that is being put together. */
struct page {
	const struct profile *profile;
	const struct text_look *look;
	struct strbuf *into;
	struct columns *columns; /* NULL: lines */
	struct text_table *lines;
	struct ctprof_group_key headed; /* of the last heading */
	bool has_heading;
	size_t zero, absent; /* metrics that are not shown */
};

/* What a table does not say, in parentheses below it. */
static void PRINTF_LIKE(2, 3) append_remark(const struct page *page, const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL;
	const struct text_look *look = page->look;
	va_list args;

	va_start(args, fmt);
	text = xvasprintf(fmt, args);
	va_end(args);
	strbuf_append(page->into, look->colour ? TEXT_DIM "(" : "(");
	text_wrap(page->into, text, 1, look->columns ? look->columns : SIZE_MAX);
	strbuf_append(page->into, look->colour ? ")" TEXT_RESET "\n" : ")\n");
}

static void append_hidden(const struct page *page)
{
	if (page->zero && page->absent)
		append_remark(page,
			      "not shown: %zu that are 0 and %zu that could not be measured; --all "
			      "shows them",
			      page->zero, page->absent);
	else if (page->zero)
		append_remark(page, "not shown: %zu that are 0; --all shows them", page->zero);
	else if (page->absent)
		append_remark(page, "not shown: %zu that could not be measured; --all shows them",
			      page->absent);
}

static void append_title(const struct page *page, enum metric_section section)
{
	strbuf_appendf(page->into, "\n%s## %s%s\n", page->look->colour ? TEXT_BOLD : "",
		       metric_sections[section].heading, page->look->colour ? TEXT_RESET : "");
}

/* Where a part of the key differs from that of the block before, it is a heading. */
static void add_headings(struct page *page, const struct row *row)
{
	const struct intern *texts = ctprof_group_keys_texts(page->profile->keys);
	enum ctprof_axis axis = page->profile->options->rules.axis;
	bool tree = row->group && axis == CTPROF_GROUP_AXIS_ALL;
	bool new_cgroup = !page->has_heading || page->headed.cgroup != row->key.cgroup;
	_cleanup_strbuf_ struct strbuf label = STRBUF_INIT;

	if (page->has_heading && memcmp(&page->headed, &row->key, sizeof(row->key)) == 0)
		return;
	/* Rows of the host have no heading. */
	if (!row->group && !row->key.cgroup && !row->key.process)
		return;
	if (tree && new_cgroup)
		text_table_add_heading(page->lines, 0,
				       row->key.cgroup ? intern_text(texts, row->key.cgroup) : "-");
	if (tree && (new_cgroup || page->headed.process != row->key.process))
		text_table_add_heading(page->lines, 1, intern_text(texts, row->key.process));
	if (tree)
		strbuf_append(&label, intern_text(texts, row->key.thread));
	else
		profile_format_label(page->profile, &row->key, &label);
	if (row->group && axis != CTPROF_GROUP_AXIS_THREAD) {
		uint32_t threads = row->group->values[METRIC_THREAD_COUNT].of;

		strbuf_appendf(&label, "  %" PRIu32 " thread%s", threads, threads == 1 ? "" : "s");
	}
	text_table_add_heading(page->lines, tree ? 2 : 0, strbuf_str(&label));
	page->headed = row->key;
	page->has_heading = true;
}

static void add_line(struct page *page, const struct row *row)
{
	const struct profile_options *options = page->profile->options;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	/* The heading says how many threads there are. */
	if (row->group && row->metric == METRIC_THREAD_COUNT && !options->metrics.n)
		return;
	if (!row_says_something(row) && !options->everything) {
		page->absent += row->state == ROW_ABSENT;
		page->zero += row->state != ROW_ABSENT;
		return;
	}
	add_headings(page, row);
	row_format_value(row, &text);
	if (row->group)
		columns_cut(&text);
	text_table_add(page->lines, row->name);
	text_table_add(page->lines, strbuf_str(&text));
	if (row_is_partial(row))
		text_table_addf(page->lines, "%" PRIu32 " of %" PRIu32, row->measured, row->of);
	else if (row->group)
		text_table_add(page->lines, "");
}

static void take_row(const struct row *row, void *page_)
{
	struct page *page = page_;

	if (row->for_programs)
		return;
	if (page->columns)
		columns_add(page->columns, page->profile, row);
	else
		add_line(page, row);
}

static void take_groups(struct page *page, size_t from, size_t to)
{
	for (size_t g = 0; g < page->profile->n_groups; g++)
		rows_of_group(page->profile, page->profile->grouping.groups.at[g], from, to,
			      take_row, page);
}

/* One line per metric, in blocks of groups. */
static void append_lines(struct page page, enum metric_section title, size_t from, size_t to)
{
	_cleanup_text_table_ struct text_table *lines = TEXT_TABLE("METRIC", ">VALUE", "?MEASURED");

	page.lines = lines;
	take_groups(&page, from, to);
	if (!text_table_has_rows(lines) && !page.zero && !page.absent)
		return;
	append_title(&page, title);
	if (text_table_has_rows(lines))
		text_table_format(lines, page.look, page.into);
	append_hidden(&page);
}

/* One line per group, a column for each metric. */
static void append_columns(struct page page, struct columns *columns)
{
	size_t left_out;

	if (!columns->names[0])
		return;
	page.columns = columns;
	take_groups(&page, 0, N_SPEC_METRICS);
	strbuf_append_char(page.into, '\n');
	left_out = columns_format(columns, page.look, page.profile->options->everything, page.into);
	if (left_out)
		append_remark(&page,
			      "not shown: %zu group%s in which all of these are 0 or could not be "
			      "measured; --all shows them",
			      left_out, left_out == 1 ? "" : "s");
}

void show_format_groups(const struct profile *profile, const struct text_look *look,
			struct strbuf *into)
{
	const struct page page = { .profile = profile, .look = look, .into = into };
	_cleanup_columns_ struct columns columns = { 0 };

	if (columns_of_metrics(&columns, profile)) {
		append_columns(page, &columns);
	} else {
		append_lines(page, METRIC_SECTION_PRIMARY, 0, METRIC_N);
		append_lines(page, METRIC_SECTION_DERIVED, METRIC_N, N_SPEC_METRICS);
	}
	if (profile->n_groups < profile->grouping.groups.n)
		append_remark(&page, "%zu of %zu groups", profile->n_groups,
			      profile->grouping.groups.n);
}

static void append_section(struct page page, enum metric_section section)
{
	_cleanup_text_table_ struct text_table *lines = TEXT_TABLE("NAME", ">VALUE");
	_cleanup_columns_ struct columns columns = { 0 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	page.lines = lines;
	if (!page.profile->options->everything && columns_of_section(&columns, section))
		page.columns = &columns;
	rows_of_section(page.profile, section, take_row, &page);
	if (page.columns)
		columns_format(&columns, page.look, false, &text);
	else if (text_table_has_rows(lines))
		text_table_format(lines, page.look, &text);
	if (!text.n)
		return;
	append_title(&page, section);
	strbuf_append(page.into, strbuf_str(&text));
}

void show_format_rows(const struct profile *profile, const struct text_look *look,
		      struct strbuf *into)
{
	const struct page page = { .profile = profile, .look = look, .into = into };

	for (int i = 0; i < METRIC_N_SECTIONS; i++)
		append_section(page, (enum metric_section)i);
}
