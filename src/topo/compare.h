/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef KTSTR_TOPO_COMPARE_H
#define KTSTR_TOPO_COMPARE_H

#include "topo/machine.h"
#include "topo/topology.h"

/*
 * NULL when the running system is the one asked for: CPU count and numbers,
 * thread siblings, LLC and node of each CPU, distances. Otherwise TOPO_MISMATCH with
 * the first item that differs, or TOPO_UNKNOWN with the reason why it could not be
 * compared. Memory is not compared: a kernel keeps part of it for itself. A kernel without NUMA
 * has one node.
 */
struct error *topo_compare(const struct topo *requested,
			   const struct topo_machine *actual) MUST_CHECK;

#endif
