// SPDX-License-Identifier: LGPL-2.1-or-later
/* Which CPU stands where: the arithmetic of a checked topology. */
#include "topo/topology.h"

unsigned int topology_cpus(const struct topology *t)
{
	return t->llcs * t->cores * t->threads;
}

unsigned int topology_cpus_per_llc(const struct topology *t)
{
	return t->cores * t->threads;
}

unsigned int topology_llcs_per_node(const struct topology *t)
{
	return t->llcs / t->nodes;
}

unsigned int topology_llc_of_cpu(const struct topology *t, unsigned int cpu)
{
	return cpu / topology_cpus_per_llc(t);
}

unsigned int topology_core_of_cpu(const struct topology *t, unsigned int cpu)
{
	return cpu / t->threads;
}

unsigned int topology_thread_of_cpu(const struct topology *t, unsigned int cpu)
{
	return cpu % t->threads;
}

unsigned int topology_node_of_llc(const struct topology *t, unsigned int llc)
{
	return llc / topology_llcs_per_node(t);
}

unsigned int topology_node_of_cpu(const struct topology *t, unsigned int cpu)
{
	return topology_node_of_llc(t, topology_llc_of_cpu(t, cpu));
}

unsigned int topology_distance(const struct topology *t, unsigned int from, unsigned int to)
{
	if (t->has_distances)
		return t->distances[from][to];
	return from == to ? TOPOLOGY_DISTANCE_LOCAL : TOPOLOGY_DISTANCE_REMOTE;
}

uint64_t topology_memory_bytes(const struct topology *t)
{
	uint64_t total = 0;

	for (unsigned int i = 0; t->has_memory && i < t->nodes; i++)
		total += t->memory_bytes[i];
	return total;
}
