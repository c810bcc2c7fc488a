/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One kind of work over many items, by several threads. */
#ifndef KTSTR_CTPROF_PARALLEL_H
#define KTSTR_CTPROF_PARALLEL_H

#include "ctprof/capture.h"

/* Items begin … end - 1. `worker` counts from 0; calls of one worker follow each other. */
typedef void (*ctprof_parallel_fn)(void *arg, unsigned int worker, size_t begin, size_t end);

/* How many workers a capture may have for n pieces of work: at least 1. */
unsigned int ctprof_parallel_jobs(const struct ctprof_options *options, size_t n);
/*
 * Gives out n items, `chunk` at a time, until all are done or the cancel fires. The caller is
 * worker 0; one that cannot be started is done without.
 */
void ctprof_parallel_run(unsigned int jobs, size_t n, size_t chunk, const struct cancel *cancel,
			 ctprof_parallel_fn work, void *arg);

/*
 * CPUs without the load of the last minute, the first number of /proc/loadavg; at least 1, at most
 * one more than half of them. A text that is not a load counts as none.
 */
unsigned int ctprof_spare_cpus(unsigned int cpus, const char *loadavg, size_t n);
/*
 * The CPUs or less, as the CPU quota (cpu.max) of our cgroup and of those above it allows, rounded
 * down; at least 1. Read below root.
 */
unsigned int ctprof_spare_cpus_available(const char *root, unsigned int cpus);

#endif
