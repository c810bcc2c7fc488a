/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads that another path has found already: what they lack comes from /proc. */
#ifndef KTSTR_CTPROF_WALK_FILL_H
#define KTSTR_CTPROF_WALK_FILL_H

#include "ctprof/capture.h"
#include "ctprof/walk_tally.h"

/* For snapshot->threads, which stay where they are, in order; those of other cgroups go. */
void walk_fill(const struct capture_options *options, int proc_folder, struct snapshot *snapshot,
	       struct walk_tally *tally);

/* Of `sources`, what a walk would read and this sample lacks. */
uint32_t walk_fill_missing(const struct thread_sample *sample, uint32_t sources);

#endif
