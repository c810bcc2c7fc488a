// SPDX-License-Identifier: LGPL-2.1-or-later
#include "harness/progress.h"

double progress_limit_ms(const struct test_report *report, const struct exchange_cgroup *made)
{
	size_t cpus = made ? cpuset_count(&made->cpus) : 0;
	size_t turns;

	if (cpus == 0)
		cpus = 1;
	turns = report->workers.n / cpus + (report->workers.n % cpus != 0);
	return PROGRESS_LEAST_MS + (double)turns * PROGRESS_TURN_MS;
}
