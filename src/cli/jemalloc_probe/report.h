/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What one run of the probe found, before it is printed. */
#ifndef KTSTR_CLI_JEMALLOC_PROBE_REPORT_H
#define KTSTR_CLI_JEMALLOC_PROBE_REPORT_H

#include "base/vec.h"
#include "probe/probe.h"

struct probe_report {
	pid_t pid;
	uint64_t started_at_unix_sec;
	uint64_t started_ns;  /* CLOCK_MONOTONIC */
	uint64_t interval_ms; /* 0: a single snapshot was asked for */
	bool interrupted;     /* a signal, the deadline or the limit ended it early */
	bool limited;	      /* it was the limit on what one result holds */
	const char *evidence; /* NULL: interrupted before the counters were found */
	uint64_t stopped_threads;
	uint64_t stopped_ns_total;
	VEC(struct probe_snapshot) snapshots;
	size_t n_threads; /* of all snapshots together */
};

void probe_report_deinit(struct probe_report *report);
/* True when at least one thread of one snapshot has its counters. */
bool probe_report_any_read(const struct probe_report *report);
/* True when some thread was refused for lack of permission. */
bool probe_report_any_refused(const struct probe_report *report);

#endif
