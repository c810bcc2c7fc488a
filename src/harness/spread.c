// SPDX-License-Identifier: LGPL-2.1-or-later
#include "harness/spread.h"

#include <string.h>

static bool computes(const struct exchange_worker *worker)
{
	return strcmp(worker->kind, "sleep") != 0 && strcmp(worker->end, "never-started") != 0;
}

struct spread spread_of(const struct test_report *report, const char *cgroup)
{
	uint64_t least = UINT64_MAX, most = 0;
	struct spread spread = { 0 };

	for (size_t i = 0; i < report->workers.n; i++) {
		const struct exchange_worker *worker = &report->workers.at[i];

		if (strcmp(worker->cgroup, cgroup) != 0 || !computes(worker))
			continue;
		spread.workers++;
		least = worker->cpu_ns < least ? worker->cpu_ns : least;
		most = worker->cpu_ns > most ? worker->cpu_ns : most;
	}
	spread.known = spread.workers >= 2 && most > 0;
	if (spread.known)
		spread.pct = 100 * (double)(most - least) / (double)most;
	return spread;
}
