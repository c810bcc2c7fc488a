/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a capture is made of, one after the other, and how the work is shared among threads. */
#ifndef KTSTR_CTPROF_STAGES_H
#define KTSTR_CTPROF_STAGES_H

#include "ctprof/capture.h"
#include "procfs/taskstats.h"

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

/*
 * All threads in one pass of a BPF task iterator. What it gives is what /proc and taskstats would
 * have shown at that moment; what cannot be had exactly is left to them, thread by thread.
 */

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

/* Every thread of a host through /proc. */

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

/* Delays and watermarks of all threads, through taskstats. */

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

/* The cgroups of a snapshot: each that has a thread, once. */

/*
 * After the walk: fills snapshot->cgroups, sorted by path, and snapshot->cgroup_mount, from the
 * cgroup paths of the threads.
 */
void ctprof_read_cgroups(const struct ctprof_options *options, struct ctprof_snapshot *snapshot);

#endif
