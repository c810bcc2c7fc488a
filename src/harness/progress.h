/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How long a worker may be without a CPU before that is a stall. */
#ifndef KTSTR_HARNESS_PROGRESS_H
#define KTSTR_HARNESS_PROGRESS_H

#include "harness/test_report.h"

enum {
	/* Whatever else runs: far more than a pause that a kernel makes for itself. */
	PROGRESS_LEAST_MS = 1000,
	/* One turn of a worker; five times the longest slice that schedulers use by default. */
	PROGRESS_TURN_MS = 100,
};

/*
 * Every worker of the test may have one turn before it on the CPUs of its cgroup: it is not known
 * who shares them. `made` may be NULL: then all of them share one CPU.
 */
double progress_limit_ms(const struct test_report *report, const struct exchange_cgroup *made);

#endif
