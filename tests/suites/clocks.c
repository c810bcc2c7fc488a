// SPDX-License-Identifier: GPL-2.0-or-later
/* What real and virtual clocks are compared with: nothing, CPUs that compute, and sleep. */
#include <ktstr/short.h>

static void nothing(struct ktstr_ctx *ctx)
{
	EXPECT(ctx, ktstr_online_cpus(ctx) > 0, "no CPU is online");
}

KTSTR_TEST(trivial) = {
	.topology = { .nodes = 1, .llcs = 1, .cores = 1, .threads = 1 },
	.run = nothing,
};

/* Without a limit: what is compared is their cost. */
#define COMPUTE(n_workers) \
	.duration_s = 10, .cgroups = { { "busy", .work = { WORK_SPIN, .workers = (n_workers) } } }

KTSTR_TEST(fair_4) = {
	.topology = { .nodes = 1, .llcs = 2, .cores = 2, .threads = 1 },
	COMPUTE(8),
};

KTSTR_TEST(fair_8) = {
	.topology = { .nodes = 1, .llcs = 2, .cores = 4, .threads = 1 },
	COMPUTE(16),
};

KTSTR_TEST(fair_16) = {
	.topology = { .nodes = 1, .llcs = 2, .cores = 8, .threads = 1 },
	COMPUTE(32),
};

KTSTR_TEST(fair_32) = {
	.topology = { .nodes = 1, .llcs = 4, .cores = 8, .threads = 1 },
	COMPUTE(64),
};

KTSTR_TEST(sleeper) = {
	.topology = { .nodes = 1, .llcs = 2, .cores = 2, .threads = 1 },
	.duration_s = 60,
	.cgroups = { { "asleep", .work = { WORK_SLEEP, .workers = 4, .sleep_ms = 100 } } },
};
