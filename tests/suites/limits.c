// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One measured figure and a limit for it. The limit comes from the command line of the compiler:
 * tests/soak measures first and then compiles it with more and with less than that.
 */
#include <ktstr/short.h>

#ifndef LIMIT_MS
#define LIMIT_MS 100000.0
#endif

KTSTR_TEST(gap) = {
	.topology = { .nodes = 1, .llcs = 2, .cores = 2, .threads = 1 },
	.duration_s = 1,
	.cgroups = { { "busy", .work = { WORK_SPIN, .workers = 9 } } },
	.checks = { .max_gap_ms = AT_MOST(LIMIT_MS) },
};
