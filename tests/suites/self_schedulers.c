// SPDX-License-Identifier: GPL-2.0-or-later
/* The fixture scheduler with each of its faults. tests/self has the verdicts. */
#include <ktstr/short.h>

/* Twice as many as there are CPUs: a scheduler that starves somebody is seen. */
#define BUSY                                                        \
	{                                                           \
		{                                                   \
			"busy", .work = { WORK_SPIN, .workers = 4 } \
		}                                                   \
	}

KTSTR_TEST(plain) = {
	.scheduler = { .argv = { "scx_ktfifo" } },
	.duration_s = 1,
	.cgroups = BUSY,
};

KTSTR_TEST(load_exits) = {
	.scheduler = { .argv = { "scx_ktfifo", "--fault", "exit" } },
	.duration_s = 1,
	.cgroups = BUSY,
};

KTSTR_TEST(verifier_refuses) = {
	.scheduler = { .argv = { "scx_ktfifo", "--fault", "verifier" } },
	.duration_s = 1,
	.cgroups = BUSY,
};

KTSTR_TEST(never_attached) = {
	.scheduler = { .argv = { "scx_ktfifo", "--fault", "no-attach" }, .attach_timeout_s = 1 },
	.duration_s = 1,
	.cgroups = BUSY,
};

KTSTR_TEST(init_fails) = {
	.scheduler = { .argv = { "scx_ktfifo", "--fault", "init" } },
	.duration_s = 1,
	.cgroups = BUSY,
};

KTSTR_TEST(partial) = {
	.scheduler = { .argv = { "scx_ktfifo", "--fault", "partial" } },
	.duration_s = 1,
	.cgroups = BUSY,
};

KTSTR_TEST(restarts) = {
	.scheduler = { .argv = { "scx_ktfifo", "--fault", "restart", "--after-ms", "1500" } },
	.duration_s = 30,
	.cgroups = BUSY,
};

KTSTR_TEST(may_restart) = {
	.scheduler = { .argv = { "scx_ktfifo", "--fault", "restart", "--after-ms", "1500" },
		       .may_restart = true },
	.duration_s = 4,
	.cgroups = BUSY,
};

KTSTR_TEST(stops_with_a_code) = {
	.scheduler = { .argv = { "scx_ktfifo", "--fault", "stop-exit" } },
	.duration_s = 1,
	.cgroups = BUSY,
};

KTSTR_TEST(stops_with_a_crash) = {
	.scheduler = { .argv = { "scx_ktfifo", "--fault", "stop-crash" } },
	.duration_s = 1,
	.cgroups = BUSY,
};

/* The work is over before the kernel's watchdog fires: it does while the workers are stopped. */
KTSTR_TEST(stalls_to_the_end) = {
	.scheduler = { .argv = { "scx_ktfifo", "--fault", "stall", "--after-ms", "500",
				 "--timeout-ms", "8000" } },
	.duration_s = 2,
	.cgroups = BUSY,
};

KTSTR_TEST(exits_later) = {
	.scheduler = { .argv = { "scx_ktfifo", "--fault", "exit-later", "--after-ms", "1500" } },
	.duration_s = 30,
	.cgroups = BUSY,
};

KTSTR_TEST(crashes_later) = {
	.scheduler = { .argv = { "scx_ktfifo", "--fault", "crash", "--after-ms", "1500" } },
	.duration_s = 30,
	.cgroups = BUSY,
};

KTSTR_TEST(errors_later) = {
	.scheduler = { .argv = { "scx_ktfifo", "--fault", "error", "--after-ms", "1500" } },
	.duration_s = 30,
	.cgroups = BUSY,
};

KTSTR_TEST(stalls) = {
	.scheduler = { .argv = { "scx_ktfifo", "--fault", "stall", "--after-ms", "1500",
				 "--timeout-ms", "10000" } },
	.duration_s = 60,
	.cgroups = BUSY,
};

KTSTR_TEST(unfair) = {
	.scheduler = { .argv = { "scx_ktfifo", "--fault", "lopsided" } },
	.duration_s = 5,
	.cgroups = BUSY,
	.checks = { .max_spread_pct = AT_MOST(20) },
};

/* Nothing in the guest runs any more, its agent neither: tests/soak waits for the kernel's
 * watchdog. */
KTSTR_TEST(unserved) = {
	.scheduler = { .argv = { "scx_ktfifo", "--fault", "starve", "--after-ms", "1500",
				 "--timeout-ms", "30000" } },
	.duration_s = 120,
	.cgroups = BUSY,
};
