// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/topo/topo.h"

#include <stdio.h>

#include "text/terminal.h"

struct drawing {
	const struct view *view;
	bool unicode;
	int digits; /* of the highest CPU number */
	unsigned int n_llcs;
	unsigned int next_llc;
};

static const char *times(const struct drawing *d)
{
	return d->unicode ? "×" : "x";
}

static void add_cpus_line(const struct drawing *d, unsigned int from, unsigned int to,
			  struct block *into)
{
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;

	strbuf_append(&line, to - from == 1 ? "CPU " : "CPUs ");
	view_format_cpus(d->view, from, to, &line);
	block_add_line(into, strbuf_str(&line));
}

/* "[ 8  9]"; "( 8)" is a CPU whose core is not known. */
static void draw_core(const struct drawing *d, unsigned int from, unsigned int to,
		      struct block *into)
{
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;
	bool known = d->view->m->cpus[from].core != TOPO_ABSENT;

	strbuf_append_char(&line, known ? '[' : '(');
	for (unsigned int i = from; i < to; i++)
		strbuf_appendf(&line, "%s%*u", i == from ? "" : " ", d->digits,
			       d->view->m->cpus[i].number);
	strbuf_append_char(&line, known ? ']' : ')');
	block_add_line(into, strbuf_str(&line));
}

/* Twice as wide as high looks right in a terminal, where a character is higher than wide. */
static size_t good_columns(size_t n, size_t width, size_t most)
{
	size_t per_row = 1;

	if (n <= 4)
		return most;
	while (per_row < n && per_row * width < 4 * ((n + per_row - 1) / per_row))
		per_row++;
	/* Eight in two fours rather than in 3, 3 and 2. */
	if (n % per_row && n % (per_row + 1) == 0)
		per_row++;
	return per_row * (width + 1) - 1 < most ? per_row * (width + 1) - 1 : most;
}

/* Every core, or how many there are. */
static void draw_cores(const struct drawing *d, unsigned int from, unsigned int to, size_t columns,
		       struct block *into)
{
	unsigned int n = view_count(d->view, VIEW_CORE, from, to);
	_cleanup_free_ struct block *cores = xcalloc(n, sizeof(*cores));
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;
	size_t i = 0;

	if (d->view->m->n_cpus > PICTURE_MOST_CPUS) {
		strbuf_appendf(&line, "%u core%s", n, n == 1 ? "" : "s");
		if (to - from != n && (to - from) % n == 0)
			strbuf_appendf(&line, " %s %u threads", times(d), (to - from) / n);
		block_add_line(into, strbuf_str(&line));
		add_cpus_line(d, from, to, into);
		return;
	}
	for (unsigned int at = from, end; at < to; at = end, i++) {
		end = view_group_end(d->view, VIEW_CORE, at);
		draw_core(d, at, end, &cores[i]);
	}
	block_flow(into, cores, n, good_columns(n, cores[0].width, columns));
}

static void draw_llc(struct drawing *d, unsigned int from, unsigned int to, size_t columns,
		     struct block *into)
{
	_cleanup_block_ struct block inner = { VEC_INIT, 0 };
	char title[32] = "LLC not known";

	draw_cores(d, from, to, columns > 4 ? columns - 4 : 1, &inner);
	if (d->view->m->cpus[from].llc != TOPO_ABSENT)
		snprintf(title, sizeof(title), "LLC %u", d->next_llc++);
	block_box(into, &inner, title, BOX_LIGHT, d->unicode);
}

static void draw_llcs(struct drawing *d, unsigned int from, unsigned int to, size_t columns,
		      struct block *into)
{
	unsigned int n = view_count(d->view, VIEW_LLC, from, to);
	_cleanup_free_ struct block *llcs = xcalloc(n + 1, sizeof(*llcs));
	size_t i = 0;

	if (d->n_llcs > PICTURE_MOST_LLCS) {
		_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;

		strbuf_appendf(&line, "%u LLC%s, %u cores", n, n == 1 ? "" : "s",
			       view_count(d->view, VIEW_CORE, from, to));
		block_add_line(into, strbuf_str(&line));
		add_cpus_line(d, from, to, into);
		return;
	}
	for (unsigned int at = from, end; at < to; at = end, i++) {
		end = view_group_end(d->view, VIEW_LLC, at);
		draw_llc(d, at, end, columns, &llcs[i]);
	}
	block_flow(into, llcs, n, columns);
}

static void node_title(const struct drawing *d, uint32_t number, struct strbuf *into)
{
	if (number == TOPO_ABSENT) {
		strbuf_append(into, d->view->m->n_nodes ? "node not known" : "no NUMA");
		return;
	}
	strbuf_appendf(into, "node %u", number);
	for (unsigned int i = 0; i < d->view->m->n_nodes; i++) {
		if (d->view->m->nodes[i].number != number || !d->view->m->nodes[i].has_memory)
			continue;
		strbuf_append(into, d->unicode ? " · " : ", ");
		text_format_bytes(into, d->view->m->nodes[i].memory_bytes);
	}
}

static void draw_node(struct drawing *d, uint32_t number, unsigned int from, unsigned int to,
		      size_t columns, struct block *into)
{
	_cleanup_strbuf_ struct strbuf title = STRBUF_INIT;
	_cleanup_block_ struct block inner = { VEC_INIT, 0 };

	if (from == to)
		block_add_line(&inner, "no CPUs");
	else
		draw_llcs(d, from, to, columns > 4 ? columns - 4 : 1, &inner);
	node_title(d, number, &title);
	block_box(into, &inner, strbuf_str(&title), BOX_DOUBLE, d->unicode);
}

void picture_format(const struct view *view, const struct block_look *look, struct strbuf *into)
{
	struct drawing d = { .view = view,
			     .unicode = look->unicode,
			     .digits = 1,
			     .n_llcs = view_count(view, VIEW_LLC, 0, view->m->n_cpus) };
	size_t columns = look->columns > PICTURE_FEWEST_COLUMNS ? look->columns
								: PICTURE_FEWEST_COLUMNS;
	_cleanup_free_ struct block *nodes = xcalloc(view->m->n_nodes + 1, sizeof(*nodes));
	_cleanup_block_ struct block all = { VEC_INIT, 0 };
	unsigned int from, to;
	size_t n = 0;

	for (unsigned int i = 0; i < view->m->n_cpus; i++) {
		char number[16];
		int digits = snprintf(number, sizeof(number), "%u", view->m->cpus[i].number);

		d.digits = digits > d.digits ? digits : d.digits;
	}
	for (unsigned int i = 0; i < view->m->n_nodes; i++) {
		view_node_rows(view, view->m->nodes[i].number, &from, &to);
		draw_node(&d, view->m->nodes[i].number, from, to, columns, &nodes[n++]);
	}
	view_node_rows(view, TOPO_ABSENT, &from, &to);
	if (from < to)
		draw_node(&d, TOPO_ABSENT, from, to, columns, &nodes[n++]);
	block_flow(&all, nodes, n, columns);
	block_format(&all, into);
}
