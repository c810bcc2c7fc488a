// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "cli/topo/topo.h"
#include "text/escape.h"
#include "text/number.h"
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

static void format_head(const struct view *view, struct strbuf *into)
{
	unsigned int cores = view_count_known(view, VIEW_CORE);

	if (view->is_regular)
		topo_format(&view->regular, into);
	else
		strbuf_append(into, "not regular");
	if (view->preset)
		strbuf_appendf(into, " (%s)", view->preset);
	strbuf_appendf(into, ": %u CPU%s", view->m->n_cpus, view->m->n_cpus == 1 ? "" : "s");
	if (view->m->n_nodes)
		append_count(into, view->m->n_nodes, "node", "nodes");
	append_count(into, view_count_known(view, VIEW_LLC), "LLC", "LLCs");
	append_count(into, cores, "core", "cores");
	if (view->is_regular)
		append_count(into, view->regular.threads, "thread per core", "threads per core");
}

static void format_distances(const struct view *view, struct strbuf *into)
{
	if (view->m->n_nodes < 2)
		return;
	strbuf_append(into, "\ndistances\n     ");
	for (unsigned int i = 0; i < view->m->n_nodes; i++)
		strbuf_appendf(into, " %3u", view->m->nodes[i].number);
	strbuf_append_char(into, '\n');
	for (unsigned int i = 0; i < view->m->n_nodes; i++) {
		strbuf_appendf(into, " %3u:", view->m->nodes[i].number);
		for (unsigned int j = 0; j < view->m->n_nodes; j++) {
			if (view->m->nodes[i].has_distances)
				strbuf_appendf(into, " %3u",
					       view->m->distances[i * view->m->n_nodes + j]);
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

void topo_format_text(const struct view *view, const struct block_look *look, struct strbuf *into)
{
	_cleanup_strbuf_ struct strbuf head = STRBUF_INIT;

	format_head(view, &head);
	text_wrap(into, strbuf_str(&head), 0, look->columns);
	strbuf_append(into, "\n\n");
	picture_format(view, look, into);
	format_distances(view, into);
	format_absences(view->m, into);
}

void topo_format_presets(const struct text_look *look, struct strbuf *into)
{
	_cleanup_text_table_ struct text_table *table = TEXT_TABLE("preset", "topology", ">CPUs",
								   ">LLCs", ">nodes");

	for (size_t i = 0; i < topo_n_presets; i++) {
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
		const struct topo *t = &topo_presets[i].topology;

		topo_format(t, &text);
		text_table_add_row(table, topo_presets[i].name, strbuf_str(&text));
		text_table_addf(table, "%u", topo_cpus(t));
		text_table_addf(table, "%u", t->llcs);
		text_table_addf(table, "%u", t->nodes);
	}
	text_table_format(table, look, into);
}
