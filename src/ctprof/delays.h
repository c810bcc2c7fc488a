/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Delays and watermarks of all threads, through taskstats. */
#ifndef KTSTR_CTPROF_DELAYS_H
#define KTSTR_CTPROF_DELAYS_H

#include "ctprof/capture.h"

/*
 * After the walk, live only: sets the values of the three taskstats sources of every sample that
 * lacks them, their reasons, and snapshot->taskstats. One line goes to options->note when taskstats
 * cannot be had at all.
 */
void ctprof_read_delays(const struct capture_options *options, struct snapshot *snapshot);

#endif
