/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* /proc/PID/schedstat and /proc/PID/task/TID/schedstat: three numbers. */
#ifndef KTSTR_PROCFS_SCHEDSTAT_H
#define KTSTR_PROCFS_SCHEDSTAT_H

#include "base/error.h"

enum { PROC_SCHEDSTAT_MAX_BYTES = 128 };

/*
 * A kernel that does not count (CONFIG_SCHED_INFO is off) writes three zeros: for a
 * thread that has run, no timeslices means that nothing here is known.
 */
struct proc_schedstat {
	uint64_t run_time_ns;  /* on a CPU, as of the last tick or switch */
	uint64_t run_delay_ns; /* runnable and waiting for a CPU; a wait that lasts is not in it */
	uint64_t timeslices;
};

struct error *proc_schedstat_parse(const char *text, size_t n,
				   struct proc_schedstat *ret) MUST_CHECK;

#endif
