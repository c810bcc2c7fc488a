/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every thread of a host through /proc. */
#ifndef KTSTR_CTPROF_WALK_WALK_H
#define KTSTR_CTPROF_WALK_WALK_H

#include "ctprof/capture.h"

/* Sources the walk can give. */
#define CTPROF_WALK_SOURCES                                                                 \
	(METRIC_SOURCE_BIT(COMM) | METRIC_SOURCE_BIT(CGROUP) | METRIC_SOURCE_BIT(STAT) |    \
	 METRIC_SOURCE_BIT(SCHEDSTAT) | METRIC_SOURCE_BIT(IO) | METRIC_SOURCE_BIT(STATUS) | \
	 METRIC_SOURCE_BIT(SCHED) | METRIC_SOURCE_BIT(SMAPS) | METRIC_SOURCE_BIT(AFFINITY))

/*
 * Threads that are in the snapshot already keep what they have and are given the sources they
 * lack; processes that are not there are walked as a whole. Fills threads, strings, CPU lists,
 * smaps, reasons, the parse summary and the paths of the sources it read. Fails when no process can
 * be listed, when none of options->pids is there, and when the cancel fires.
 */
struct error *ctprof_walk_threads(const struct ctprof_options *options, uint64_t began_ns,
				  struct ctprof_snapshot *snapshot) MUST_CHECK;

#endif
