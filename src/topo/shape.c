// SPDX-License-Identifier: LGPL-2.1-or-later
/* Node, LLC, core and thread of each CPU: the arithmetic of a checked topology. */
#include "topo/topology.h"

unsigned int topo_cpus(const struct topo *t)
{
	return t->llcs * t->cores * t->threads;
}

unsigned int topo_cpus_per_llc(const struct topo *t)
{
	return t->cores * t->threads;
}

unsigned int topo_llcs_per_node(const struct topo *t)
{
	return t->llcs / t->nodes;
}

unsigned int topo_llc_of_cpu(const struct topo *t, unsigned int cpu)
{
	return cpu / topo_cpus_per_llc(t);
}

unsigned int topo_core_of_cpu(const struct topo *t, unsigned int cpu)
{
	return cpu / t->threads;
}

unsigned int topo_node_of_llc(const struct topo *t, unsigned int llc)
{
	return llc / topo_llcs_per_node(t);
}

unsigned int topo_node_of_cpu(const struct topo *t, unsigned int cpu)
{
	return topo_node_of_llc(t, topo_llc_of_cpu(t, cpu));
}

unsigned int topo_distance(const struct topo *t, unsigned int from, unsigned int to)
{
	if (t->has_distances)
		return t->distances[from][to];
	return from == to ? TOPO_DISTANCE_LOCAL : TOPO_DISTANCE_REMOTE;
}

uint64_t topo_memory_bytes(const struct topo *t)
{
	uint64_t total = 0;

	for (unsigned int i = 0; t->has_memory && i < t->nodes; i++)
		total += t->memory_bytes[i];
	return total;
}
