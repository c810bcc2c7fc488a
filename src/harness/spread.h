/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How unequally the workers of a cgroup got CPU time. */
#ifndef KTSTR_HARNESS_SPREAD_H
#define KTSTR_HARNESS_SPREAD_H

#include "harness/test_report.h"

struct spread {
	/*
	 * Those that can be compared. A worker that only sleeps gets as much as its wake-ups cost,
	 * and one that never started gets nothing: neither counts.
	 */
	size_t workers;
	bool known; /* two or more, and some CPU time */
	double pct; /* (max - min) / max */
};

struct spread spread_of(const struct test_report *report, const char *cgroup);

#endif
