// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/ctprof/blocks.h"
#include "cli/ctprof/show.h"
#include "metric/format.h"
#include "text/terminal.h"
#include "text/width.h"
#include "text/wrap.h"

enum {
	/* So many named metrics are columns, one line per group; more are lines. */
	MOST_COLUMNS = 8,
	/* A list of CPUs can be as long as a page. */
	WIDEST_VALUE = 36,
};

const uint32_t *show_cpus(const struct profile *profile, const struct reduced *value)
{
	if (value->cpus.list >= profile->snapshot->cpu_lists.n)
		return NULL;
	return profile->snapshot->cpu_lists.at[value->cpus.list].at;
}

/* One value of a group, made ready to be shown. */
struct cell {
	struct strbuf text;
	bool says_something; /* neither absent nor 0 */
	bool absent;
	uint32_t measured, of;
};

static void cell_deinit(struct cell *cell)
{
	strbuf_deinit(&cell->text);
}

static struct cell cell_of_derived(enum derived_id id, const struct group *group)
{
	struct derived_value value = derived_compute(id, group->values);
	struct cell cell = { .absent = !value.known,
			     .says_something = value.known && value.value != 0,
			     .measured = value.measured,
			     .of = value.of };

	if (value.known)
		metric_format_derived(derived[id].unit, value.value, &cell.text);
	else
		strbuf_append_char(&cell.text, '-');
	return cell;
}

static struct cell cell_of(const struct profile *profile, size_t metric, const struct group *group)
{
	const struct reduced *value = &group->values[metric < N_METRICS ? metric : 0];
	struct cell cell = { .measured = value->measured, .of = value->of };
	enum metric_kind kind;

	if (metric >= N_METRICS)
		return cell_of_derived((enum derived_id)(metric - N_METRICS), group);
	kind = metrics[metric].kind;
	cell.absent = reduced_is_absent(value, kind);
	cell.says_something = !cell.absent && !reduced_is_zero(value, kind);
	metric_format_reduced((enum metric_id)metric, value,
			      kind == METRIC_KIND_CPUSET ? show_cpus(profile, value) : NULL,
			      &cell.text);
	return cell;
}

static void cut(struct strbuf *text)
{
	size_t n;

	if (utf8_width(strbuf_str(text)) <= WIDEST_VALUE)
		return;
	n = utf8_prefix(text->at, WIDEST_VALUE - 1);
	text->n = n;
	strbuf_append(text, "…");
}

struct hidden {
	size_t zero, absent;
};

/* What a table does not say, in parentheses below it. */
static void PRINTF_LIKE(3, 4)
	append_remark(const struct table_look *look, struct strbuf *into, const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		abort();
	va_end(args);
	strbuf_append(into, look->colour ? TERMINAL_DIM "(" : "(");
	text_wrap(into, text, 1, look->columns ? look->columns : SIZE_MAX);
	strbuf_append(into, look->colour ? ")" TERMINAL_RESET "\n" : ")\n");
}

static void append_hidden(const struct hidden *hidden, const struct table_look *look,
			  struct strbuf *into)
{
	if (hidden->zero && hidden->absent)
		append_remark(look, into,
			      "%zu that are 0 and %zu that nobody could measure not shown; "
			      "--all shows them",
			      hidden->zero, hidden->absent);
	else if (hidden->zero)
		append_remark(look, into, "%zu that are 0 not shown; --all shows them",
			      hidden->zero);
	else if (hidden->absent)
		append_remark(look, into,
			      "%zu that nobody could measure not shown; --all shows them",
			      hidden->absent);
}

static void append_title(const char *title, const struct table_look *look, struct strbuf *into)
{
	strbuf_appendf(into, "\n%s## %s%s\n", look->colour ? TERMINAL_BOLD : "", title,
		       look->colour ? TERMINAL_RESET : "");
}

/* Where a part of the key differs from that of the group before, it is a heading. */
static void add_headings(const struct profile *profile, const struct group *before,
			 const struct group *group, struct blocks *blocks)
{
	const struct intern *texts = group_keys_texts(profile->keys);
	bool tree = profile->options->rules.axis == GROUP_AXIS_ALL;
	bool new_cgroup = !before || before->key.cgroup != group->key.cgroup;
	uint32_t threads = group->values[METRIC_THREAD_COUNT].of;
	_cleanup_strbuf_ struct strbuf label = STRBUF_INIT;

	if (tree) {
		if (new_cgroup)
			blocks_heading(blocks, 0,
				       group->key.cgroup ? intern_text(texts, group->key.cgroup)
							 : "-");
		if (new_cgroup || before->key.process != group->key.process)
			blocks_heading(blocks, 1, intern_text(texts, group->key.process));
		strbuf_append(&label, intern_text(texts, group->key.thread));
	} else {
		profile_format_label(profile, &group->key, &label);
	}
	if (profile->options->rules.axis != GROUP_AXIS_THREAD)
		strbuf_appendf(&label, "  %" PRIu32 " thread%s", threads, threads == 1 ? "" : "s");
	blocks_heading(blocks, tree ? 2 : 0, strbuf_str(&label));
}

static bool is_partial(const struct cell *cell)
{
	return !cell->absent && cell->measured < cell->of;
}

/* Whether there is anything to say about how many threads were measured. */
static bool any_partial(const struct profile *profile, size_t from, size_t to)
{
	for (size_t g = 0; g < profile->n_groups; g++) {
		const struct group *group = profile->grouping.groups.at[g];

		for (size_t m = from; m < to; m++) {
			struct derived_value value;
			struct cell cell = { 0 };

			if (!profile_wants(profile, m))
				continue;
			if (m < N_METRICS) {
				cell.measured = group->values[m].measured;
				cell.of = group->values[m].of;
				cell.absent = reduced_is_absent(&group->values[m], metrics[m].kind);
			} else {
				value = derived_compute((enum derived_id)(m - N_METRICS),
							group->values);
				cell.measured = value.measured;
				cell.of = value.of;
				cell.absent = !value.known;
			}
			if (is_partial(&cell))
				return true;
		}
	}
	return false;
}

/* One line per metric, in blocks of groups. */
static void append_lines(const struct profile *profile, const char *title, size_t from, size_t to,
			 const struct table_look *look, struct strbuf *into)
{
	static const struct table_column columns[] = {
		{ .title = "METRIC" },
		{ .title = "VALUE", .right = true },
		{ .title = "MEASURED" },
	};
	_cleanup_blocks_ struct blocks blocks;
	const struct group *headed = NULL;
	struct hidden hidden = { 0 };
	bool partial = any_partial(profile, from, to);

	blocks_init(&blocks, columns, partial ? ARRAY_SIZE(columns) : ARRAY_SIZE(columns) - 1);
	for (size_t g = 0; g < profile->n_groups; g++) {
		const struct group *group = profile->grouping.groups.at[g];

		for (size_t m = from; m < to; m++) {
			_cleanup_(cell_deinit) struct cell cell = { 0 };

			/* The heading says how many threads there are. */
			if (!profile_wants(profile, m) ||
			    (m == METRIC_THREAD_COUNT && !profile->options->metrics.n))
				continue;
			cell = cell_of(profile, m, group);
			if (!cell.says_something && !profile->options->everything) {
				hidden.absent += cell.absent;
				hidden.zero += !cell.absent;
				continue;
			}
			if (headed != group)
				add_headings(profile, headed, group, &blocks);
			headed = group;
			blocks_row(&blocks);
			cut(&cell.text);
			table_add(blocks.table, spec_metric_name(m));
			table_add(blocks.table, strbuf_str(&cell.text));
			if (is_partial(&cell))
				table_addf(blocks.table, "%" PRIu32 " of %" PRIu32, cell.measured,
					   cell.of);
			else if (partial)
				table_add(blocks.table, "");
		}
	}
	if (!blocks.n_rows && !hidden.zero && !hidden.absent)
		return;
	append_title(title, look, into);
	blocks_format(&blocks, look, into);
	append_hidden(&hidden, look, into);
}

/* The metrics that are columns, behind the name of the group and its number of threads. */
struct shape {
	struct table_column columns[MOST_COLUMNS + 2];
	size_t first; /* column of the first metric */
	size_t n, metrics[MOST_COLUMNS];
};

static void make_shape(const struct profile *profile, struct shape *ret)
{
	const struct metric_choice *choice = &profile->options->metrics;

	*ret = (struct shape){ .first = 1 };
	ret->columns[0].title = group_axes[profile->options->rules.axis].title;
	ret->columns[0].shrinks = true;
	if (profile->options->rules.axis != GROUP_AXIS_THREAD &&
	    !choice->chosen[METRIC_THREAD_COUNT])
		ret->columns[ret->first++] = (struct table_column){ "THREADS", .right = true };
	for (size_t i = 0; i < choice->n; i++) {
		if (!profile_wants(profile, choice->order[i]))
			continue;
		ret->columns[ret->first + ret->n] = (struct table_column){
			spec_metric_name(choice->order[i]), .right = true
		};
		ret->metrics[ret->n++] = choice->order[i];
	}
}

static void add_cell(struct table *table, struct cell *cell)
{
	cut(&cell->text);
	if (is_partial(cell))
		strbuf_appendf(&cell->text, " (%" PRIu32 " of %" PRIu32 ")", cell->measured,
			       cell->of);
	table_add(table, strbuf_str(&cell->text));
}

/* False when it would say nothing. */
static bool add_group(const struct profile *profile, const struct shape *shape,
		      const struct group *group, struct table *table)
{
	struct cell cells[MOST_COLUMNS] = { 0 };
	_cleanup_strbuf_ struct strbuf label = STRBUF_INIT;
	bool shown = profile->options->everything;

	for (size_t i = 0; i < shape->n; i++) {
		cells[i] = cell_of(profile, shape->metrics[i], group);
		shown = shown || cells[i].says_something;
	}
	profile_format_label(profile, &group->key, &label);
	if (shown)
		table_add(table, strbuf_str(&label));
	if (shown && shape->first > 1)
		table_addf(table, "%" PRIu32, group->values[METRIC_THREAD_COUNT].of);
	for (size_t i = 0; i < shape->n; i++) {
		if (shown)
			add_cell(table, &cells[i]);
		cell_deinit(&cells[i]);
	}
	return shown;
}

/* One line per group, a column for each metric. */
static void append_columns(const struct profile *profile, const struct table_look *look,
			   struct strbuf *into)
{
	_cleanup_(cleanup_table) struct table *table = NULL;
	struct shape shape;
	size_t lines = 0;

	make_shape(profile, &shape);
	if (!shape.n)
		return;
	table = table_new(shape.columns, shape.first + shape.n);
	for (size_t g = 0; g < profile->n_groups; g++)
		lines += add_group(profile, &shape, profile->grouping.groups.at[g], table);
	strbuf_append_char(into, '\n');
	if (lines)
		table_format(table, look, into);
	if (lines < profile->n_groups)
		append_remark(
			look, into,
			"%zu group%s in which all of these are 0 or nobody could measure them "
			"not shown; --all shows them",
			profile->n_groups - lines, profile->n_groups - lines == 1 ? "" : "s");
}

void show_format_groups(const struct profile *profile, const struct table_look *look,
			struct strbuf *into)
{
	const struct metric_choice *choice = &profile->options->metrics;

	if (choice->n && choice->n <= MOST_COLUMNS) {
		append_columns(profile, look, into);
	} else {
		append_lines(profile, metric_sections[METRIC_SECTION_PRIMARY].heading, 0, N_METRICS,
			     look, into);
		append_lines(profile, metric_sections[METRIC_SECTION_DERIVED].heading, N_METRICS,
			     N_SPEC_METRICS, look, into);
	}
	if (profile->n_groups < profile->grouping.groups.n)
		append_remark(look, into, "%zu of %zu groups", profile->n_groups,
			      profile->grouping.groups.n);
}
