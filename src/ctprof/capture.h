/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Taking a snapshot of the running host, or of a tree of files that looks like one. */
#ifndef KTSTR_CTPROF_CAPTURE_H
#define KTSTR_CTPROF_CAPTURE_H

#include "base/cancel.h"
#include "base/error.h"
#include "ctprof/snapshot.h"

struct ctprof_bpf_tasks;

/*
 * From so many threads on a single capture is cheaper with BPF: loading the iterator takes about 37
 * ms of CPU time, and a thread 61 us through /proc (docs/BENCHMARKS.md).
 */
enum { CTPROF_BPF_FROM_THREADS = 600 };

struct ctprof_progress {
	uint64_t processes_done, processes_total; /* total 0: not known yet */
	uint64_t threads;
	const char *stage; /* "threads", "heap", "cgroups" … */
};

struct ctprof_options {
	/* Where the trees begin: "" for this machine, a directory in tests. */
	const char *root;
	/*
	 * This very machine: system calls, netlink, BPF and other processes' memory may be asked.
	 * Never with a root.
	 */
	bool live;
	uint32_t sources;		    /* METRIC_SOURCE_BIT of those wanted */
	bool bpf;			    /* try the task iterator first */
	struct ctprof_bpf_tasks *bpf_tasks; /* loaded already, for a series; may be NULL */
	uint64_t bpf_from_threads;	    /* else it is loaded for so many; 0: for any number */
	const pid_t *pids;		    /* only these processes; all when n_pids is 0 */
	size_t n_pids;
	const char *cgroup_glob;     /* only threads whose cgroup matches; NULL for all */
	unsigned int jobs;	     /* 0: as many CPUs as are spare now */
	const struct cancel *cancel; /* may be NULL */
	void (*progress)(const struct ctprof_progress *progress, void *arg); /* may be NULL */
	void (*note)(const char *line, void *arg); /* what -v shows; may be NULL */
	void *arg;
};

/*
 * Fails only when nothing can be walked or the cancel fired; what single threads and files refuse
 * is in the snapshot. *ret is initialised by the call.
 */
struct error *ctprof_capture_take(const struct ctprof_options *options,
				  struct ctprof_snapshot *ret) MUST_CHECK;

#endif
