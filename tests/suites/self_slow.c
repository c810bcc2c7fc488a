// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests that last, so that something can happen meanwhile. */
#include <unistd.h>

#include <ktstr/short.h>

static void last_three_seconds(struct ktstr_ctx *ctx)
{
	ktstr_note(ctx, "it begins");
	sleep(3);
}
KTSTR_TEST(lasts_3_s) = { .run = last_three_seconds };

static void last_a_minute(struct ktstr_ctx *ctx)
{
	(void)ctx;
	sleep(60);
}
KTSTR_TEST(lasts_60_s) = { .run = last_a_minute };
