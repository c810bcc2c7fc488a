// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/topo/topo.h"

#include <stdlib.h>

void view_deinit(struct view *view)
{
	topo_machine_free(view->own);
}

static uint32_t key_of(const struct topo_cpu *cpu, enum view_level level)
{
	return level == VIEW_NODE ? cpu->node : level == VIEW_LLC ? cpu->llc : cpu->core;
}

/* Within all levels above as well: an unknown LLC does not reach into the next node. */
static bool same_group(const struct topo_cpu *a, const struct topo_cpu *b, enum view_level level)
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

	while (end < view->m->n_cpus &&
	       same_group(&view->m->cpus[first], &view->m->cpus[end], level))
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

	for (unsigned int at = 0; at < view->m->n_cpus; at = view_group_end(view, level, at))
		count += key_of(&view->m->cpus[at], level) != TOPO_ABSENT;
	return count;
}

void view_node_rows(const struct view *view, uint32_t node, unsigned int *ret_from,
		    unsigned int *ret_to)
{
	*ret_from = *ret_to = 0;
	for (unsigned int at = 0, end; at < view->m->n_cpus; at = end) {
		end = view_group_end(view, VIEW_NODE, at);
		if (view->m->cpus[at].node == node) {
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
		topo_cpuset_add(&set, view->m->cpus[i].number);
	topo_cpuset_format(&set, into);
}

void view_of_topology(const struct topo *t, struct view *ret)
{
	struct topo_cpuset cpus = { 0 }, nodes = { 0 };
	struct topo_machine *m;

	topo_cpuset_add_range(&cpus, 0, topo_cpus(t) - 1);
	topo_cpuset_add_range(&nodes, 0, t->nodes - 1);
	m = topo_machine_new(&cpus, &nodes);
	for (unsigned int cpu = 0; cpu < m->n_cpus; cpu++)
		m->cpus[cpu] = (struct topo_cpu){ .number = cpu,
						  .core = topo_core_of_cpu(t, cpu),
						  .llc = topo_llc_of_cpu(t, cpu),
						  .node = topo_node_of_cpu(t, cpu) };
	for (unsigned int node = 0; node < t->nodes; node++) {
		m->nodes[node].has_memory = t->has_memory;
		m->nodes[node].memory_bytes = t->memory_bytes[node];
		m->nodes[node].has_distances = true;
		for (unsigned int other = 0; other < t->nodes; other++)
			m->distances[node * t->nodes + other] = (uint8_t)topo_distance(t, node,
										       other);
	}
	*ret = (struct view){ .m = m, .own = m, .is_regular = true, .regular = *t };
}

static int compare_cpus(const void *a_, const void *b_)
{
	const struct topo_cpu *a = a_, *b = b_;
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

	for (unsigned int at = 0, end; at < view->m->n_cpus; at = end) {
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

	for (unsigned int at = 0, end; at < view->m->n_cpus; at = end) {
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

static void find_regular(struct view *view)
{
	_cleanup_error_ struct error *err = NULL;
	bool no_numa = view->m->no_numa;
	struct topo t = { .nodes = no_numa ? 1 : view->m->n_nodes };

	t.llcs = view_count(view, VIEW_LLC, 0, view->m->n_cpus);
	t.cores = even_count(view, VIEW_LLC, VIEW_CORE);
	t.threads = even_size(view, VIEW_CORE);
	for (unsigned int i = 0; i < view->m->n_cpus; i++)
		if ((!no_numa && view->m->cpus[i].node == TOPO_ABSENT) ||
		    view->m->cpus[i].llc == TOPO_ABSENT || view->m->cpus[i].core == TOPO_ABSENT)
			return;
	/* A topology has no nodes without CPUs and no nodes of different sizes. */
	if (view_count(view, VIEW_NODE, 0, view->m->n_cpus) != t.nodes ||
	    even_count(view, VIEW_NODE, VIEW_LLC) == 0)
		return;
	for (unsigned int i = 0; i < t.nodes && !no_numa && t.nodes <= TOPO_LIMIT_ASKED_NODES;
	     i++) {
		for (unsigned int j = 0; j < t.nodes; j++) {
			uint8_t distance = view->m->distances[i * t.nodes + j];

			/* Default distances are left out. */
			if (view->m->nodes[i].has_distances && distance != usual_distance(i, j))
				t.has_distances = true;
			t.distances[i][j] = distance;
		}
	}
	err = topo_check(&t);
	view->is_regular = !err;
	view->regular = t;
}

void view_of_machine(struct topo_machine *m, struct view *ret)
{
	qsort(m->cpus, m->n_cpus, sizeof(*m->cpus), compare_cpus);
	*ret = (struct view){ .m = m };
	find_regular(ret);
}
