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

enum {
	TOPO_DISTANCE_LOCAL = 10,
	TOPO_DISTANCE_REMOTE = 20, /* where no matrix is given */
	TOPO_DISTANCE_MAX = 254,
};

/* No pointers inside: copy it freely. */
struct topo {
	unsigned int nodes, llcs, cores, threads;
	bool has_memory, has_distances;
	uint64_t memory_bytes[TOPO_LIMIT_ASKED_NODES];
	uint8_t distances[TOPO_LIMIT_ASKED_NODES][TOPO_LIMIT_ASKED_NODES];
};

/* The default of a test that does not say: 1n1l2c1t. */
#define TOPO_DEFAULT ((struct topo){ .nodes = 1, .llcs = 1, .cores = 2, .threads = 1 })

/* An error quotes the text and says which letter, number or setting is wrong. */
struct error *topo_parse(const char *text, struct topo *ret) MUST_CHECK;
/* What parse checks of the numbers, for a value made in code. */
struct error *topo_check(const struct topo *t) MUST_CHECK;
void topo_format(const struct topo *t, struct strbuf *into);
/* Only `2n4l2c1t`, without settings: for names of files and tests. */
void topo_format_shape(const struct topo *t, struct strbuf *into);
bool topo_equal(const struct topo *a, const struct topo *b);

/* All of these want a topology that passed topo_check(), and CPUs and LLCs inside it. */
unsigned int topo_cpus(const struct topo *t);
unsigned int topo_cpus_per_llc(const struct topo *t);
unsigned int topo_llcs_per_node(const struct topo *t);
unsigned int topo_llc_of_cpu(const struct topo *t, unsigned int cpu);
/* Counted through the whole machine. */
unsigned int topo_core_of_cpu(const struct topo *t, unsigned int cpu);
unsigned int topo_node_of_llc(const struct topo *t, unsigned int llc);
unsigned int topo_node_of_cpu(const struct topo *t, unsigned int cpu);
unsigned int topo_distance(const struct topo *t, unsigned int from, unsigned int to);
/* The sum over the nodes; 0 when the topology does not say. */
uint64_t topo_memory_bytes(const struct topo *t);

/* Topologies with a name; the table is presets.def. */

struct topo_preset {
	const char *name;
	struct topo topology;
};

extern const struct topo_preset topo_presets[];
extern const size_t topo_n_presets;

/* NULL when there is none of that name. */
const struct topo_preset *topo_preset_find(const char *name);
/* What a user writes: the name of a preset, or a topology. */
struct error *topo_parse_or_preset(const char *text, struct topo *ret) MUST_CHECK;

#endif
