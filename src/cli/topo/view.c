// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/topo/topo.h"

#include <stdlib.h>
#include <string.h>

static void allocate(struct view *view, unsigned int n_cpus, unsigned int n_nodes)
{
	view->cpus = xcalloc(n_cpus + 1, sizeof(*view->cpus));
	view->n_cpus = n_cpus;
	view->nodes = xcalloc(n_nodes + 1, sizeof(*view->nodes));
	view->n_nodes = n_nodes;
	view->distances = xcalloc((size_t)n_nodes * n_nodes + 1, 1);
}

void view_deinit(struct view *view)
{
	free(view->cpus);
	free(view->nodes);
	free(view->distances);
}

static uint32_t key_of(const struct view_cpu *cpu, enum view_level level)
{
	return level == VIEW_NODE ? cpu->node : level == VIEW_LLC ? cpu->llc : cpu->core;
}

/* Within all levels above as well: an unknown LLC does not reach into the next node. */
static bool same_group(const struct view_cpu *a, const struct view_cpu *b, enum view_level level)
{
	for (int above = VIEW_NODE; above <= (int)level; above++)
		if (key_of(a, (enum view_level)above) != key_of(b, (enum view_level)above))
			return false;
	/* CPUs of which nothing is known do not share a core because of that. */
	return level != VIEW_CORE || a->core != TOPO_ABSENT;
}

unsigned int view_group_end(const struct view *view, enum view_level level, unsigned int first)
{
	unsigned int end = first + 1;

	while (end < view->n_cpus && same_group(&view->cpus[first], &view->cpus[end], level))
		end++;
	return end;
}

unsigned int view_count(const struct view *view, enum view_level level, unsigned int from,
			unsigned int to)
{
	unsigned int count = 0;

	for (unsigned int at = from; at < to; at = view_group_end(view, level, at))
		count++;
	return count;
}

unsigned int view_count_known(const struct view *view, enum view_level level)
{
	unsigned int count = 0;

	for (unsigned int at = 0; at < view->n_cpus; at = view_group_end(view, level, at))
		count += key_of(&view->cpus[at], level) != TOPO_ABSENT;
	return count;
}

void view_node_rows(const struct view *view, uint32_t node, unsigned int *ret_from,
		    unsigned int *ret_to)
{
	*ret_from = *ret_to = 0;
	for (unsigned int at = 0, end; at < view->n_cpus; at = end) {
		end = view_group_end(view, VIEW_NODE, at);
		if (view->cpus[at].node == node) {
			*ret_from = at;
			*ret_to = end;
			return;
		}
	}
}

void view_format_cpus(const struct view *view, unsigned int from, unsigned int to,
		      struct strbuf *into)
{
	struct topo_cpuset set = { 0 };

	for (unsigned int i = from; i < to; i++)
		topo_cpuset_add(&set, view->cpus[i].number);
	topo_cpuset_format(&set, into);
}

void view_of_topology(const struct topo *t, struct view *ret)
{
	struct view view = { .is_regular = true, .regular = *t };

	allocate(&view, topo_cpus(t), t->nodes);
	for (unsigned int cpu = 0; cpu < view.n_cpus; cpu++)
		view.cpus[cpu] = (struct view_cpu){ topo_node_of_cpu(t, cpu),
						    topo_llc_of_cpu(t, cpu),
						    topo_core_of_cpu(t, cpu), cpu };
	for (unsigned int node = 0; node < t->nodes; node++) {
		view.nodes[node] = (struct view_node){ .number = node,
						       .has_memory = t->has_memory,
						       .memory_bytes = t->memory_bytes[node],
						       .has_distances = true };
		for (unsigned int other = 0; other < t->nodes; other++)
			view.distances[node * t->nodes + other] = (uint8_t)topo_distance(t, node,
											 other);
	}
	*ret = view;
}

static int compare_cpus(const void *a_, const void *b_)
{
	const struct view_cpu *a = a_, *b = b_;
	const uint32_t left[] = { a->node, a->llc, a->core, a->number };
	const uint32_t right[] = { b->node, b->llc, b->core, b->number };

	for (size_t i = 0; i < ARRAY_SIZE(left); i++)
		if (left[i] != right[i])
			return left[i] < right[i] ? -1 : 1;
	return 0;
}

/* How many groups of `inner` each group of `outer` has; 0 when they differ. */
static unsigned int even_count(const struct view *view, enum view_level outer,
			       enum view_level inner)
{
	unsigned int count = 0;

	for (unsigned int at = 0, end; at < view->n_cpus; at = end) {
		unsigned int here;

		end = view_group_end(view, outer, at);
		here = view_count(view, inner, at, end);
		if (count && here != count)
			return 0;
		count = here;
	}
	return count;
}

static unsigned int even_size(const struct view *view, enum view_level level)
{
	unsigned int size = 0;

	for (unsigned int at = 0, end; at < view->n_cpus; at = end) {
		end = view_group_end(view, level, at);
		if (size && end - at != size)
			return 0;
		size = end - at;
	}
	return size;
}

static uint8_t usual_distance(unsigned int from, unsigned int to)
{
	return from == to ? TOPO_DISTANCE_LOCAL : TOPO_DISTANCE_REMOTE;
}

static void find_regular(struct view *view, bool no_numa)
{
	_cleanup_error_ struct error *err = NULL;
	struct topo t = { .nodes = no_numa ? 1 : view->n_nodes };

	t.llcs = view_count(view, VIEW_LLC, 0, view->n_cpus);
	t.cores = even_count(view, VIEW_LLC, VIEW_CORE);
	t.threads = even_size(view, VIEW_CORE);
	for (unsigned int i = 0; i < view->n_cpus; i++)
		if ((!no_numa && view->cpus[i].node == TOPO_ABSENT) ||
		    view->cpus[i].llc == TOPO_ABSENT || view->cpus[i].core == TOPO_ABSENT)
			return;
	/* A node without CPUs is no part of a topology, nor are nodes of different sizes. */
	if (view_count(view, VIEW_NODE, 0, view->n_cpus) != t.nodes ||
	    even_count(view, VIEW_NODE, VIEW_LLC) == 0)
		return;
	for (unsigned int i = 0; i < t.nodes && !no_numa && t.nodes <= TOPO_LIMIT_ASKED_NODES;
	     i++) {
		for (unsigned int j = 0; j < t.nodes; j++) {
			uint8_t distance = view->distances[i * t.nodes + j];

			/* Said only where it is not what holds anyway. */
			if (view->nodes[i].has_distances && distance != usual_distance(i, j))
				t.has_distances = true;
			t.distances[i][j] = distance;
		}
	}
	err = topo_check(&t);
	view->is_regular = !err;
	view->regular = t;
}

void view_of_machine(const struct topo_machine *m, struct view *ret)
{
	struct view view = { 0 };

	allocate(&view, m->n_cpus, m->n_nodes);
	for (unsigned int i = 0; i < m->n_cpus; i++)
		view.cpus[i] = (struct view_cpu){ m->cpus[i].node, m->cpus[i].llc, m->cpus[i].core,
						  m->cpus[i].number };
	qsort(view.cpus, view.n_cpus, sizeof(*view.cpus), compare_cpus);
	for (unsigned int i = 0; i < m->n_nodes; i++)
		view.nodes[i] = (struct view_node){ .number = m->nodes[i].number,
						    .has_memory = m->nodes[i].has_memory,
						    .memory_bytes = m->nodes[i].memory_bytes,
						    .has_distances = m->nodes[i].has_distances };
	memcpy(view.distances, m->distances, (size_t)m->n_nodes * m->n_nodes);
	find_regular(&view, m->no_numa);
	*ret = view;
}
