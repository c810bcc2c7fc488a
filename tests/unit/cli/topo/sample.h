/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Machines for the tests, from the text a guest would send. */
#ifndef KTSTR_TESTS_TOPO_SAMPLE_H
#define KTSTR_TESTS_TOPO_SAMPLE_H

#include "cli/topo/topo.h"
#include "unit.h"

/* Threads of a core far apart, as real machines number them; one node with memory only. */
static const char sample_apart[] = "machine 1\ncpus 0-7\nnodes 0-2\n"
				   "threads 0,4\nthreads 1,5\nthreads 2,6\nthreads 3,7\n"
				   "core-id 0 0,4\ncore-id 1 1,5\ncore-id 0 2,6\ncore-id 1 3,7\n"
				   "llc 0-1,4-5\nllc 2-3,6-7\n"
				   "node 0 0-1,4-5\nnode 1 2-3,6-7\n"
				   "memory 0 1073741824\nmemory 1 536870912\nmemory 2 1073741824\n"
				   "distance 0 10 21 30\ndistance 1 21 10 30\n"
				   "absent distance 2 not readable\nend\n";

/* Of CPUs 1 and 2 the core is not known, of CPU 3 the cache and the node as well. */
static const char sample_unknown[] = "machine 1\ncpus 0-3\nnodes 0\n"
				     "threads 0\ncore-id 0 0-3\nllc 0-2\nnode 0 0-2\n"
				     "memory 0 1048576\ndistance 0 10\n"
				     "absent threads 1-3 no list\n"
				     "absent llc 3 no cache is described\n"
				     "absent node 3 in no node's list\nend\n";

static inline struct topo_machine *sample_machine(const char *text)
{
	struct topo_machine *m = NULL;

	assert_success(topo_machine_parse(text, strlen(text), &m));
	return m;
}

static inline void sample_view(const char *text, struct view *ret)
{
	struct topo t;

	assert_success(topo_parse(text, &t));
	view_of_topology(&t, ret);
}

#endif
