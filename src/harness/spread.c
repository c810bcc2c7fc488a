// SPDX-License-Identifier: LGPL-2.1-or-later
#include "harness/spread.h"

#include <string.h>

bool spread_of(const struct test_report *report, const char *cgroup, double *ret_pct)
{
	uint64_t least = UINT64_MAX, most = 0;
	size_t n = 0;

	for (size_t i = 0; i < report->workers.n; i++) {
		const struct reported_worker *worker = &report->workers.at[i];

		if (strcmp(worker->cgroup, cgroup) != 0)
			continue;
		n++;
		least = worker->cpu_ns < least ? worker->cpu_ns : least;
		most = worker->cpu_ns > most ? worker->cpu_ns : most;
	}
	if (n < 2 || most == 0)
		return false;
	*ret_pct = 100 * (double)(most - least) / (double)most;
	return true;
}
