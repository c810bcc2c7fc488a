// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "cli/topo/topo.h"
#include "text/escape.h"
#include "text/number.h"
#include "text/table.h"
#include "text/terminal.h"
#include "topo/topology.h"

/* The first of the three that is set decides, as setlocale(3) has it. */
bool topo_wants_unicode(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
	}
	return false;
}

static void append_count(struct strbuf *into, unsigned int n, const char *one, const char *many)
{
	strbuf_appendf(into, ", %u %s", n, n == 1 ? one : many);
}

static void format_head(const struct topo_shown *shown, struct strbuf *into)
{
	const struct view *view = shown->view;
	unsigned int cores = view_count_known(view, VIEW_CORE);

	if (view->is_regular)
		topo_format(&view->regular, into);
	else
		strbuf_append(into, "not regular");
	if (shown->preset)
		strbuf_appendf(into, " (%s)", shown->preset);
	strbuf_appendf(into, ": %u CPU%s", view->n_cpus, view->n_cpus == 1 ? "" : "s");
	if (view->n_nodes)
		append_count(into, view->n_nodes, "node", "nodes");
	append_count(into, view_count_known(view, VIEW_LLC), "LLC", "LLCs");
	append_count(into, cores, "core", "cores");
	if (view->is_regular)
		append_count(into, view->regular.threads, "thread per core", "threads per core");
}

static void format_distances(const struct view *view, struct strbuf *into)
{
	if (view->n_nodes < 2)
		return;
	strbuf_append(into, "\ndistances\n     ");
	for (unsigned int i = 0; i < view->n_nodes; i++)
		strbuf_appendf(into, " %3u", view->nodes[i].number);
	strbuf_append_char(into, '\n');
	for (unsigned int i = 0; i < view->n_nodes; i++) {
		strbuf_appendf(into, " %3u:", view->nodes[i].number);
		for (unsigned int j = 0; j < view->n_nodes; j++) {
			if (view->nodes[i].has_distances)
				strbuf_appendf(into, " %3u",
					       view->distances[i * view->n_nodes + j]);
			else
				strbuf_append(into, "   -");
		}
		strbuf_append_char(into, '\n');
	}
}

static void format_absences(const struct topo_machine *m, struct strbuf *into)
{
	for (size_t i = 0; i < m->absences.n; i++) {
		const struct topo_absence *absence = &m->absences.at[i];

		strbuf_appendf(into, "%snot known: %s of %s ", i ? "" : "\n",
			       topo_items[absence->item].meaning,
			       topo_items[absence->item].of == TOPO_OF_CPU ? "CPU" : "node");
		topo_cpuset_format(&absence->who, into);
		strbuf_append(into, ": ");
		text_escape(into, absence->reason);
		strbuf_append_char(into, '\n');
	}
}

void topo_format_text(const struct topo_shown *shown, const struct block_look *look,
		      struct strbuf *into)
{
	_cleanup_strbuf_ struct strbuf head = STRBUF_INIT;

	format_head(shown, &head);
	text_wrap(into, strbuf_str(&head), 0, look->columns);
	strbuf_append(into, "\n\n");
	picture_format(shown->view, look, into);
	format_distances(shown->view, into);
	if (shown->machine)
		format_absences(shown->machine, into);
}

void topo_format_presets(size_t columns, bool colour, struct strbuf *into)
{
	static const struct text_column titles[] = {
		{ .title = "preset" },
		{ .title = "topology" },
		{ .title = "CPUs", .right = true },
		{ .title = "LLCs", .right = true },
		{ .title = "nodes", .right = true },
	};
	_cleanup_(cleanup_text_table) struct text_table *table = text_table_new(titles,
										ARRAY_SIZE(titles));

	for (size_t i = 0; i < topo_n_presets; i++) {
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
		const struct topo *t = &topo_presets[i].topology;

		topo_format(t, &text);
		text_table_add(table, topo_presets[i].name);
		text_table_add(table, strbuf_str(&text));
		text_table_addf(table, "%u", topo_cpus(t));
		text_table_addf(table, "%u", t->llcs);
		text_table_addf(table, "%u", t->nodes);
	}
	text_table_format(table, &(struct text_look){ .columns = columns, .colour = colour }, into);
}
