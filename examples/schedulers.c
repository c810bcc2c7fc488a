/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ktstr/short.h>

/* The kernel's own scheduler. */
KTSTR_TEST(fair_under_the_kernel) = {
	.topology = { .nodes = 1, .llcs = 2, .cores = 2, .threads = 1 },
	.cgroups = {
		{ "left",  .cpus = LLC(0), .work = { WORK_SPIN, .workers = 4 } },
		{ "right", .cpus = LLC(1), .work = { WORK_SPIN, .workers = 4 } },
	},
	.duration_s = 5,
	.checks = { .isolation = REQUIRED, .max_spread_pct = AT_MOST(35) },
};

/* A sched_ext scheduler. */
KTSTR_TEST(fair_under_fifo) = {
	.topology = { .nodes = 1, .llcs = 2, .cores = 2, .threads = 1 },
	.scheduler = { .argv = { "scx_ktfifo" } },
	.cgroups = {
		{ "left",  .cpus = LLC(0), .work = { WORK_SPIN, .workers = 4 } },
		{ "right", .cpus = LLC(1), .work = { WORK_SPIN, .workers = 4 } },
	},
	.duration_s = 5,
	.checks = { .isolation = REQUIRED, .max_spread_pct = AT_MOST(35) },
};

/* The same with a bug: after a second it forgets tasks that used up their slice. This one fails. */
KTSTR_TEST(forgotten_tasks) = {
	.topology = { .nodes = 1, .llcs = 2, .cores = 2, .threads = 1 },
	.scheduler = { .argv = { "scx_ktfifo", "--fault", "stall", "--timeout-ms", "8000" } },
	.cgroups = {
		{ "left",  .cpus = LLC(0), .work = { WORK_SPIN, .workers = 4 } },
		{ "right", .cpus = LLC(1), .work = { WORK_SPIN, .workers = 4 } },
	},
	.duration_s = 60,
};
