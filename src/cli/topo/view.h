/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `ktstr topo` shows, whether asked for or found: CPUs in the order node,
 * LLC, core, thread. A group is a run of rows with the same number.
 */
#ifndef KTSTR_CLI_TOPO_VIEW_H
#define KTSTR_CLI_TOPO_VIEW_H

#include "topo/machine.h"
#include "topo/topology.h"

/* TOPO_ABSENT where it is not known. */
struct view_cpu {
	uint32_t node, llc, core, number;
};

struct view_node {
	uint32_t number;
	bool has_memory;
	uint64_t memory_bytes;
	bool has_distances;
};

struct view {
	struct view_cpu *cpus;
	unsigned int n_cpus;
	struct view_node *nodes;
	unsigned int n_nodes;
	uint8_t *distances; /* n_nodes rows */
	/* The whole as a topology, if every node, LLC and core is like the others. */
	bool is_regular;
	struct topology regular;
};

enum view_level { VIEW_NODE, VIEW_LLC, VIEW_CORE };

void view_of_topology(const struct topology *t, struct view *ret);
void view_of_machine(const struct topo_machine *m, struct view *ret);
void view_deinit(struct view *view);
#define _cleanup_view_ _cleanup_(view_deinit)

/* Behind the last row of the group that begins at row `first`. */
unsigned int view_group_end(const struct view *view, enum view_level level, unsigned int first);
/* Groups of a level between two rows. */
unsigned int view_count(const struct view *view, enum view_level level, unsigned int from,
			unsigned int to);
/* In the whole machine, without those of which only the CPUs are known. */
unsigned int view_count_known(const struct view *view, enum view_level level);
/* The rows of a node's CPUs; both 0 when it has none. */
void view_node_rows(const struct view *view, uint32_t node, unsigned int *ret_from,
		    unsigned int *ret_to);
/* CPUs between two rows as a list. */
void view_format_cpus(const struct view *view, unsigned int from, unsigned int to,
		      struct strbuf *into);

#endif
