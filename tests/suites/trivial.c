// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests that do next to nothing: what is left is the harness. */
#include <ktstr/short.h>

static void nothing(struct ktstr_ctx *ctx)
{
	EXPECT(ctx, ktstr_online_cpus(ctx) > 0, "no CPU is online");
}

#define TRIVIAL(id)                                                              \
	KTSTR_TEST(id) = {                                                       \
		.topology = { .nodes = 1, .llcs = 1, .cores = 1, .threads = 1 }, \
		.run = nothing,                                                  \
	}

TRIVIAL(trivial_01);
TRIVIAL(trivial_02);
TRIVIAL(trivial_03);
TRIVIAL(trivial_04);
TRIVIAL(trivial_05);
TRIVIAL(trivial_06);
TRIVIAL(trivial_07);
TRIVIAL(trivial_08);
TRIVIAL(trivial_09);
TRIVIAL(trivial_10);
TRIVIAL(trivial_11);
TRIVIAL(trivial_12);
TRIVIAL(trivial_13);
TRIVIAL(trivial_14);
TRIVIAL(trivial_15);
TRIVIAL(trivial_16);
