// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/topo/topo.h"

#include <stdlib.h>
#include <string.h>

#include "json/writer.h"
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

static void add_cpus(struct json_writer *w, const char *key, const struct view *view,
		     unsigned int from, unsigned int to)
{
	_cleanup_strbuf_ struct strbuf list = STRBUF_INIT;

	view_format_cpus(view, from, to, &list);
	if (key)
		json_add_string(w, key, strbuf_str(&list));
	else
		json_write_string(w, strbuf_str(&list));
}

/* LLCs are counted through the whole machine; one that is not known has no number. */
static void write_llcs(struct json_writer *w, const struct view *view, unsigned int from,
		       unsigned int to, unsigned int *next_llc)
{
	json_open_array(w, "llcs");
	for (unsigned int at = from, end; at < to; at = end) {
		end = view_group_end(view, VIEW_LLC, at);
		json_begin_object(w);
		if (view->m->cpus[at].llc != TOPO_ABSENT)
			json_add_u64(w, "llc", (*next_llc)++);
		add_cpus(w, "cpus", view, at, end);
		json_open_array(w, "cores");
		for (unsigned int core = at, core_end; core < end; core = core_end) {
			core_end = view_group_end(view, VIEW_CORE, core);
			if (view->m->cpus[core].core != TOPO_ABSENT)
				add_cpus(w, NULL, view, core, core_end);
		}
		json_end_array(w);
		json_end_object(w);
	}
	json_end_array(w);
}

static void write_node(struct json_writer *w, const struct view *view, unsigned int i,
		       unsigned int *next_llc)
{
	const struct topo_node *node = &view->m->nodes[i];
	unsigned int from, to;

	json_begin_object(w);
	json_add_u64(w, "node", node->number);
	if (node->has_memory)
		json_add_u64(w, "memory_bytes", node->memory_bytes);
	if (node->has_distances) {
		json_open_array(w, "distances");
		for (unsigned int j = 0; j < view->m->n_nodes; j++)
			json_write_u64(w, view->m->distances[i * view->m->n_nodes + j]);
		json_end_array(w);
	}
	view_node_rows(view, node->number, &from, &to);
	write_llcs(w, view, from, to, next_llc);
	json_end_object(w);
}

static void write_absences(struct json_writer *w, const struct topo_machine *m)
{
	json_open_array(w, "absent");
	for (size_t i = 0; i < m->absences.n; i++) {
		const struct topo_absence *absence = &m->absences.at[i];
		_cleanup_strbuf_ struct strbuf who = STRBUF_INIT;

		topo_cpuset_format(&absence->who, &who);
		json_begin_object(w);
		json_add_string(w, "item", topo_items[absence->item].word);
		json_add_string(w, topo_items[absence->item].of == TOPO_OF_CPU ? "cpus" : "nodes",
				strbuf_str(&who));
		json_add_string(w, "reason", absence->reason);
		json_end_object(w);
	}
	json_end_array(w);
}

void topo_format_json(const struct view *view, struct strbuf *into)
{
	struct json_writer w = json_writer_to(into, JSON_PRETTY);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	unsigned int from, to, next_llc = 0;

	json_begin_object(&w);
	json_add_string(&w, "source", view->own ? "request" : "machine");
	if (view->is_regular) {
		topo_format(&view->regular, &text);
		json_add_string(&w, "topology", strbuf_str(&text));
	}
	json_add_string(&w, "preset", view->preset);
	json_add_u64(&w, "n_cpus", view->m->n_cpus);
	add_cpus(&w, "cpus", view, 0, view->m->n_cpus);
	json_open_array(&w, "nodes");
	for (unsigned int i = 0; i < view->m->n_nodes; i++)
		write_node(&w, view, i, &next_llc);
	json_end_array(&w);
	view_node_rows(view, TOPO_ABSENT, &from, &to);
	if (from < to) {
		json_open_object(&w, "without_node");
		write_llcs(&w, view, from, to, &next_llc);
		json_end_object(&w);
	}
	if (!view->own)
		write_absences(&w, view->m);
	json_end_document(&w);
}

void topo_format_presets_json(struct strbuf *into)
{
	struct json_writer w = json_writer_to(into, JSON_PRETTY);

	json_begin_array(&w);
	for (size_t i = 0; i < topo_n_presets; i++) {
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
		const struct topo *t = &topo_presets[i].topology;

		topo_format(t, &text);
		json_begin_object(&w);
		json_add_string(&w, "preset", topo_presets[i].name);
		json_add_string(&w, "topology", strbuf_str(&text));
		json_add_u64(&w, "n_cpus", topo_cpus(t));
		json_add_u64(&w, "llcs", t->llcs);
		json_add_u64(&w, "nodes", t->nodes);
		json_end_object(&w);
	}
	json_end_document(&w);
}
