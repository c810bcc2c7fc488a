/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The CPUs that a declaration means on the machine that runs it. */
#ifndef KTSTR_SUITE_CPUS_H
#define KTSTR_SUITE_CPUS_H

#include <ktstr/ktstr.h>

#include "topo/machine.h"

/*
 * LLCs are counted by their lowest CPU, nodes by their number. BASE_ABSENT: the machine has no such
 * CPU, LLC or node; TOPO_UNKNOWN: it does not tell which CPUs share a cache.
 */
struct error *suite_cpus_resolve(const struct ktstr_cpus *cpus, const struct topo_machine *machine,
				 struct topo_cpuset *ret) MUST_CHECK;

#endif
