/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How unequally the workers of a cgroup got CPU time. */
#ifndef KTSTR_CHECKS_SPREAD_H
#define KTSTR_CHECKS_SPREAD_H

#include "exchange/worker.h"

struct checks_spread {
	/*
	 * Those that can be compared. A worker whose kind does not compute gets as much as its
	 * wake-ups cost, and one that never started gets nothing: neither counts.
	 */
	size_t workers;
	bool known; /* two or more, and some CPU time */
	double pct; /* (max - min) / max */
};

struct checks_spread checks_spread_of(const struct exchange_worker *workers, size_t n,
				      const char *cgroup);

#endif
