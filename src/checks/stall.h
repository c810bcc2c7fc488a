/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How long a worker may be without a CPU before that is a stall. */
#ifndef KTSTR_CHECKS_STALL_H
#define KTSTR_CHECKS_STALL_H

#include "checks/facts.h"

enum {
	/* Whatever else runs: far more than a pause that a kernel makes for itself. */
	CHECKS_STALL_LEAST_MS = 1000,
	/* One turn of a worker; five times the longest slice that schedulers use by default. */
	CHECKS_STALL_TURN_MS = 100,
};

/*
 * Every worker of the test may have one turn before it on the CPUs of its cgroup: it is not known
 * who shares them. CPUs that were not reported count as one.
 */
double checks_stall_limit_ms(size_t workers, const struct checks_cgroup *cgroup);

#endif
