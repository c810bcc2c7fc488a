// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topo/machine.h"

static struct error *unknown(const struct topo_machine *m, enum topo_item item, unsigned int who)
{
	const char *reason = topo_machine_reason(m, item, who);

	return topo_error(TOPO_UNKNOWN, 0, "%s of %s %u: %s", topo_items[item].meaning,
			  topo_items[item].of == TOPO_OF_CPU ? "CPU" : "node", who,
			  reason ? reason : "not reported");
}

static struct error *compare_count(const struct topo *t, const struct topo_machine *m)
{
	_cleanup_strbuf_ struct strbuf found = STRBUF_INIT;
	struct topo_cpuset online = { 0 };
	unsigned int wanted = topo_cpus(t);

	for (unsigned int i = 0; i < m->n_cpus; i++)
		topo_cpuset_add(&online, m->cpus[i].number);
	topo_cpuset_format(&online, &found);
	if (m->n_cpus != wanted)
		return topo_error(TOPO_MISMATCH, 0, "CPU count: %u found (%s), %u asked for",
				  m->n_cpus, strbuf_str(&found), wanted);
	if (m->cpus[m->n_cpus - 1].number != wanted - 1)
		return topo_error(TOPO_MISMATCH, 0, "CPU numbers: %s found, 0-%u asked for",
				  strbuf_str(&found), wanted - 1);
	return NULL;
}

/* `size` consecutive CPUs share the item, beginning at a multiple of it. */
static struct error *compare_group(const struct topo_machine *m, enum topo_item item,
				   unsigned int cpu, unsigned int size)
{
	_cleanup_strbuf_ struct strbuf want_text = STRBUF_INIT, found_text = STRBUF_INIT;
	uint32_t value = *topo_cpu_item(&m->cpus[cpu], item);
	struct topo_cpuset want = { 0 }, found;

	if (value == TOPO_ABSENT)
		return unknown(m, item, cpu);
	topo_cpuset_add_range(&want, cpu / size * size, cpu / size * size + size - 1);
	topo_machine_sharing(m, item, value, &found);
	if (topo_cpuset_equal(&want, &found))
		return NULL;
	topo_cpuset_format(&want, &want_text);
	topo_cpuset_format(&found, &found_text);
	return topo_error(TOPO_MISMATCH, 0, "%s of CPU %u: %s%s found, %s asked for",
			  item == TOPO_ITEM_LLC ? "LLC" : "thread siblings", cpu,
			  item == TOPO_ITEM_LLC ? "shared by " : "", strbuf_str(&found_text),
			  strbuf_str(&want_text));
}

static struct error *compare_node_of_cpu(const struct topo *t, const struct topo_machine *m,
					 unsigned int cpu)
{
	unsigned int wanted = topo_node_of_cpu(t, cpu);

	if (m->no_numa && t->nodes == 1)
		return NULL;
	if (m->cpus[cpu].node == TOPO_ABSENT)
		return unknown(m, TOPO_ITEM_NODE, cpu);
	if (m->cpus[cpu].node != wanted)
		return topo_error(TOPO_MISMATCH, 0, "node of CPU %u: %u found, %u asked for", cpu,
				  m->cpus[cpu].node, wanted);
	return NULL;
}

static struct error *compare_nodes(const struct topo *t, const struct topo_machine *m)
{
	if (m->no_numa && t->nodes == 1)
		return NULL;
	if (m->no_numa)
		return topo_error(TOPO_MISMATCH, 0,
				  "nodes: the kernel is built without NUMA, %u asked for",
				  t->nodes);
	if (m->n_nodes != t->nodes)
		return topo_error(TOPO_MISMATCH, 0, "node count: %u found, %u asked for",
				  m->n_nodes, t->nodes);
	for (unsigned int i = 0; i < t->nodes; i++) {
		if (m->nodes[i].number != i)
			return topo_error(TOPO_MISMATCH, 0, "node numbers: %u found, %u asked for",
					  m->nodes[i].number, i);
		if (!m->nodes[i].has_distances)
			return unknown(m, TOPO_ITEM_DISTANCE, i);
		for (unsigned int j = 0; j < t->nodes; j++) {
			unsigned int found = m->distances[i * m->n_nodes + j];

			if (found != topo_distance(t, i, j))
				return topo_error(
					TOPO_MISMATCH, 0,
					"distance from node %u to node %u: %u found, %u asked for",
					i, j, found, topo_distance(t, i, j));
		}
	}
	return NULL;
}

struct error *topo_compare(const struct topo *requested, const struct topo_machine *actual)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct error *err = compare_count(requested, actual);

	for (unsigned int cpu = 0; !err && cpu < actual->n_cpus; cpu++) {
		err = compare_group(actual, TOPO_ITEM_THREADS, cpu, requested->threads);
		if (!err)
			err = compare_group(actual, TOPO_ITEM_LLC, cpu,
					    topo_cpus_per_llc(requested));
		if (!err)
			err = compare_node_of_cpu(requested, actual, cpu);
	}
	if (!err)
		err = compare_nodes(requested, actual);
	topo_format(requested, &text);
	return error_wrap(err, "topology %s", strbuf_str(&text));
}
