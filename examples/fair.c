/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ktstr/short.h>

/* One cgroup on each of two caches: equal shares inside each, and everyone stays at home. */
KTSTR_TEST(two_cells_share_fairly) = {
	.description = "workers of a cell get equal CPU time and never leave it",
	.topology = { .nodes = 1, .llcs = 2, .cores = 2, .threads = 1 },
	.duration_s = 3,
	.cgroups = {
		{ "left",  .cpus = LLC(0), .work = { WORK_SPIN, .workers = 4 } },
		{ "right", .cpus = LLC(1), .work = { WORK_SPIN, .workers = 4 } },
	},
	.checks = { .isolation = REQUIRED, .max_spread_pct = AT_MOST(35) },
};
