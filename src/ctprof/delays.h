/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Delays and watermarks of all threads, through taskstats. */
#ifndef KTSTR_CTPROF_DELAYS_H
#define KTSTR_CTPROF_DELAYS_H

#include "ctprof/capture.h"
#include "procfs/taskstats.h"

#define CTPROF_DELAY_SOURCES \
	(METRIC_SOURCE_BIT(DELAY_CPU) | METRIC_SOURCE_BIT(DELAY_BLOCK) | METRIC_SOURCE_BIT(XACCT))

/* Which of the three the kernel keeps now; an answer is full of zeros for the others. */
uint32_t ctprof_delays_kept(const struct host_accounting *accounting);
/* Why the kernel does not keep a source. */
enum ctprof_reason ctprof_delays_reason(enum metric_source source,
					const struct host_accounting *accounting);
/* Sets the values of these sources, as far as the answer has them, and their bits. */
void ctprof_delays_fill(struct metric_thread_sample *sample,
			const struct procfs_taskstats_values *values, uint32_t sources);

/*
 * After the walk: sets the values of the three taskstats sources of every sample that
 * lacks them, their reasons, and snapshot->taskstats. One line goes to options->note when taskstats
 * cannot be had at all. Nobody is asked about threads that are not of this machine.
 */
void ctprof_read_delays(const struct ctprof_options *options, struct ctprof_snapshot *snapshot);

#endif
