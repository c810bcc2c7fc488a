// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests whose time matters: one waits for ever, one computes. tests/self has the verdicts. */
#include <time.h>
#include <unistd.h>

#include <ktstr/short.h>

enum { COMPUTE_S = 3 };

static void wait_for_ever(struct ktstr_ctx *ctx)
{
	(void)ctx;
	for (;;)
		pause();
}
KTSTR_TEST(waits) = { .timeout_s = 60, .run = wait_for_ever };

static void compute(struct ktstr_ctx *ctx)
{
	struct timespec now;
	time_t end;

	(void)ctx;
	clock_gettime(CLOCK_MONOTONIC, &now);
	end = now.tv_sec + COMPUTE_S;
	while (now.tv_sec < end)
		clock_gettime(CLOCK_MONOTONIC, &now);
}
KTSTR_TEST(computes) = { .run = compute };
