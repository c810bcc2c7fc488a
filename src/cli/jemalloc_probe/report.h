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
	bool interrupted;     /* a signal, the deadline, the limit or its end ended it early */
	bool limited;	      /* it was the limit on what one result holds */
	bool target_ended;    /* the process ended before all snapshots were taken */
	const char *evidence; /* NULL: interrupted before the counters were found */
	/* NULL as well: which program or library was read, and what told where its counters are. */
	char *object, *offsets_from;
	VEC(struct probe_other) others;
	uint64_t stopped_threads;
	uint64_t stopped_ns_total;
	VEC(struct probe_snapshot) snapshots;
	size_t n_threads; /* of all snapshots together */
};

void probe_report_deinit(struct probe_report *report);
/* True when at least one thread of one snapshot has its counters. */
bool probe_report_any_read(const struct probe_report *report);
/* Snapshots that no cancel cut short. */
size_t probe_report_whole_snapshots(const struct probe_report *report);
/* True when no thread that was read has ever allocated. */
bool probe_report_all_zero(const struct probe_report *report);
/* True when some thread was refused for lack of permission. */
bool probe_report_any_refused(const struct probe_report *report);

#endif
