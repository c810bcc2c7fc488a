// SPDX-License-Identifier: GPL-2.0-or-later
/* What `ktstr rerun` is tried with: one that fails, one that needs a file, two alike names. */
#include <stdio.h>
#include <string.h>

#include <ktstr/short.h>

#define ONE_CPU { .nodes = 1, .llcs = 1, .cores = 1, .threads = 1 }

static void fail(struct ktstr_ctx *ctx)
{
	EXPECT(ctx, ktstr_online_cpus(ctx) > 4096, "%u CPUs", ktstr_online_cpus(ctx));
}

static void read_file(struct ktstr_ctx *ctx)
{
	char text[32] = "";
	FILE *f = fopen("again.data", "r");

	REQUIRE(ctx, f != NULL, "no file");
	EXPECT(ctx, fgets(text, sizeof(text), f) && strcmp(text, "good\n") == 0, "it says %s",
	       text);
	fclose(f);
}

static void pass(struct ktstr_ctx *ctx)
{
	ktstr_note(ctx, "%u CPUs", ktstr_online_cpus(ctx));
}

KTSTR_TEST(again_fails) = {
	.description = "never passes",
	.topology = ONE_CPU,
	.run = fail,
};

KTSTR_TEST(again_reads) = {
	.topology = ONE_CPU,
	.files = { "again.data" },
	.run = read_file,
};

/* The name of the first is the beginning of the second's. */
KTSTR_TEST(again_1) = {
	.topology = ONE_CPU,
	.run = pass,
};

KTSTR_TEST(again_10) = {
	.topology = ONE_CPU,
	.scheduler = { .sysctls = { "kernel.panic=7" }, .kernel_args = { "ktstr_again=yes" } },
	.run = pass,
};
