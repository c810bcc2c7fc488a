/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How many CPUs a capture may use without being in the way. */
#ifndef KTSTR_CTPROF_SPARE_CPUS_H
#define KTSTR_CTPROF_SPARE_CPUS_H

#include <stddef.h>

/*
 * CPUs without the load of the last minute, the first number of /proc/loadavg; at least 1, at most
 * one more than half of them. A text that is no load counts as none.
 */
unsigned int spare_cpus(unsigned int cpus, const char *loadavg, size_t n);
/*
 * The CPUs or less, as the CPU quota (cpu.max) of our cgroup and of those above it allows, rounded
 * down; at least 1. Read below root.
 */
unsigned int spare_cpus_available(const char *root, unsigned int cpus);
/* Of the CPUs that this process may run on, with load and quota read below root. */
unsigned int spare_cpus_read(const char *root);

#endif
