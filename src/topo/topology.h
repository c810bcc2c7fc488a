/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The machine asked for, as a value: `2n4l2c1t` is 2 NUMA nodes, 4 last-level
 * caches in the whole machine, 2 cores in each, 1 thread per core. CPUs are
 * numbered thread by thread, core by core, LLC by LLC; each node has the same
 * number of consecutive LLCs. Two settings may follow, each once:
 *
 *	2n4l2c1t,mem=1G:512M,dist=10:21:21:10
 *
 * mem is the memory of each node (K, M, G; whole MiB), dist the matrix of
 * distances row by row: 10 on the diagonal, 11 to 254 elsewhere, symmetric. A number
 * alone, `8`, is so many CPUs: 1n1l8c1t.
 */
#ifndef KTSTR_TOPO_TOPOLOGY_H
#define KTSTR_TOPO_TOPOLOGY_H

#include "base/strbuf.h"
#include "topo/error.h"
#include "topo/limits.h"

enum {
	TOPOLOGY_DISTANCE_LOCAL = 10,
	TOPOLOGY_DISTANCE_REMOTE = 20, /* where no matrix is given */
	TOPOLOGY_DISTANCE_MAX = 254,
};

/* No pointers inside: copy it freely. */
struct topology {
	unsigned int nodes, llcs, cores, threads;
	bool has_memory, has_distances;
	uint64_t memory_bytes[TOPOLOGY_LIMIT_NODES];
	uint8_t distances[TOPOLOGY_LIMIT_NODES][TOPOLOGY_LIMIT_NODES];
};

/* The default of a test that does not say: 1n1l2c1t. */
#define TOPOLOGY_DEFAULT ((struct topology){ .nodes = 1, .llcs = 1, .cores = 2, .threads = 1 })

/* An error quotes the text and says which letter, number or setting is wrong. */
struct error *topology_parse(const char *text, struct topology *ret) MUST_CHECK;
/* What parse checks of the numbers, for a value made in code. */
struct error *topology_check(const struct topology *t) MUST_CHECK;
void topology_format(const struct topology *t, struct strbuf *into);
/* Only `2n4l2c1t`, without settings: for names of files and tests. */
void topology_format_shape(const struct topology *t, struct strbuf *into);
bool topology_equal(const struct topology *a, const struct topology *b);

/* All of these want a topology that passed topology_check(), and CPUs and LLCs inside it. */
unsigned int topology_cpus(const struct topology *t);
unsigned int topology_cpus_per_llc(const struct topology *t);
unsigned int topology_llcs_per_node(const struct topology *t);
unsigned int topology_llc_of_cpu(const struct topology *t, unsigned int cpu);
/* Counted through the whole machine. */
unsigned int topology_core_of_cpu(const struct topology *t, unsigned int cpu);
unsigned int topology_thread_of_cpu(const struct topology *t, unsigned int cpu);
unsigned int topology_node_of_llc(const struct topology *t, unsigned int llc);
unsigned int topology_node_of_cpu(const struct topology *t, unsigned int cpu);
unsigned int topology_distance(const struct topology *t, unsigned int from, unsigned int to);
/* The sum over the nodes; 0 when the topology does not say. */
uint64_t topology_memory_bytes(const struct topology *t);

#endif
