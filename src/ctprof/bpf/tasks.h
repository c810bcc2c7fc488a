/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * All threads in one pass of a BPF task iterator. What it gives is what /proc and taskstats would
 * have shown at that moment; what cannot be had exactly is left to them, thread by thread.
 */
#ifndef KTSTR_CTPROF_BPF_TASKS_H
#define KTSTR_CTPROF_BPF_TASKS_H

#include "ctprof/capture.h"

/* What an iterator can give, kernel permitting. */
#define CTPROF_BPF_SOURCES                                                                       \
	(METRIC_SOURCE_BIT(COMM) | METRIC_SOURCE_BIT(CGROUP) | METRIC_SOURCE_BIT(STAT) |         \
	 METRIC_SOURCE_BIT(SCHEDSTAT) | METRIC_SOURCE_BIT(IO) | METRIC_SOURCE_BIT(STATUS) |      \
	 METRIC_SOURCE_BIT(SCHED) | METRIC_SOURCE_BIT(AFFINITY) | METRIC_SOURCE_BIT(DELAY_CPU) | \
	 METRIC_SOURCE_BIT(DELAY_BLOCK) | METRIC_SOURCE_BIT(XACCT))

/*
 * The iterator in the kernel. Loading it takes longer than a pass over thousands of threads: who
 * takes a series keeps it.
 */
struct ctprof_bpf_tasks;

struct error *ctprof_bpf_tasks_open(struct ctprof_bpf_tasks **ret) MUST_CHECK;
void ctprof_bpf_tasks_free(struct ctprof_bpf_tasks *tasks);

DEFINE_CLEANUP(ctprof_bpf_tasks, struct ctprof_bpf_tasks *, NULL, ctprof_bpf_tasks_free);
#define _cleanup_ctprof_bpf_tasks_ _cleanup_(cleanup_ctprof_bpf_tasks)

/*
 * Loads it once for a series: sets options->bpf_tasks, or switches options->bpf off, and says which
 * way threads are read. *ret belongs to the caller and outlives the series.
 */
void ctprof_bpf_tasks_open_for_series(struct ctprof_options *options,
				      struct ctprof_bpf_tasks **ret);

/*
 * Before the walk: fills snapshot->threads, sorted, with every thread (only those of options->pids
 * if given; options->cgroup_glob is the caller's). Each thread's `sources` says what it has. Where
 * BPF cannot be used, or nothing it gives is wanted, there are no threads; which way it is, and
 * why, goes to options->note. Uses options->bpf_tasks if that is given, and says nothing then if it
 * works. Adds to snapshot->parse.negative_dotted_values and marks snapshot->paths of what it gave.
 *
 * An error only when the cancel fired.
 */
struct error *ctprof_read_bpf(const struct ctprof_options *options,
			      struct ctprof_snapshot *snapshot) MUST_CHECK;

#endif
