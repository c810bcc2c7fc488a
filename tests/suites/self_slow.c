// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests that last, so that something can happen meanwhile. */
#include <stdio.h>
#include <unistd.h>

#include <ktstr/short.h>

static void last_three_seconds(struct ktstr_ctx *ctx)
{
	ktstr_note(ctx, "it begins");
	sleep(3);
}
KTSTR_TEST(lasts_3_s) = { .run = last_three_seconds };

/* Its beginning can be seen from outside, on the console. */
static void last_a_minute(struct ktstr_ctx *ctx)
{
	FILE *log = fopen("/dev/kmsg", "w");

	REQUIRE(ctx, log, "the kernel log can be written");
	fputs("<0>the test begins\n", log);
	fclose(log);
	sleep(60);
}
KTSTR_TEST(lasts_60_s) = { .run = last_a_minute };
