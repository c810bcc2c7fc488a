// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A race: the fixture scheduler fails when two CPUs wake up tasks within the same microsecond or
 * two. In virtual time the seed decides whether that happens, and it happens in few of them.
 */
#include <ktstr/short.h>

#define RACE(ms)                                                                         \
	.topology = { .nodes = 1, .llcs = 2, .cores = 2, .threads = 1 },                 \
	.scheduler = { .argv = { "scx_ktfifo", "--fault", "race", "--after-ms", "0" } }, \
	.duration_s = 1,                                                                 \
	.cgroups = { { "wakers", .work = { WORK_SLEEP, .workers = 8, .sleep_ms = (ms) } } }

KTSTR_TEST(two_wake_ups) = {
	.description = "fails with the few seeds in which two wake-ups meet",
	RACE(6),
};

KTSTR_TEST(two_wake_ups_often) = {
	.description = "the same with more wake-ups, for those who have no time for many seeds",
	RACE(2),
};
