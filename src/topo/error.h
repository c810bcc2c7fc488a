/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What can be wrong with a topology, so that callers can tell one case from another. */
#ifndef KTSTR_TOPO_ERROR_H
#define KTSTR_TOPO_ERROR_H

#include "base/error.h"

#define TOPO_ERRORS(X)                                                                             \
	X(TOPO_FORM, "topology-form", "the text is not a topology")                                \
	X(TOPO_RANGE, "topology-range", "a number of the topology is not possible")                \
	X(TOPO_CPU_LIST, "cpu-list", "the text is not a list of CPUs")                             \
	X(TOPO_MACHINE, "topology-machine", "the description of a machine contradicts itself")     \
	X(TOPO_UNKNOWN, "topology-unknown", "the running system does not report what is compared") \
	X(TOPO_MISMATCH, "topology-mismatch", "the running system is not the one asked for")
DECLARE_ERROR_DOMAIN(topo, TOPO, TOPO_ERRORS);

#endif
