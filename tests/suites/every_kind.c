// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Workers of every kind of work, and a function that looks at what must repeat: clocks and
 * random bytes. Two runs of it in virtual time are compared to the bit.
 */
#include <ktstr/short.h>

#include <stdint.h>
#include <sys/random.h>
#include <time.h>

static uint64_t now_ns(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void look(struct ktstr_ctx *ctx)
{
	uint64_t drawn = 0;

	REQUIRE(ctx, getrandom(&drawn, sizeof(drawn), 0) == sizeof(drawn), "%m");
	ktstr_note(ctx, "monotonic %llu ns, real %llu ns, drawn %016llx",
		   (unsigned long long)now_ns(CLOCK_MONOTONIC),
		   (unsigned long long)now_ns(CLOCK_REALTIME), (unsigned long long)drawn);
}

/* One cgroup with two workers for each row of the table. */
#define KTSTR_WORK_KIND(id, name, ...) { #name, .work = { WORK_##id, .workers = 2 } },
#define EVERY_KIND                                                                        \
	.topology = { .nodes = 1, .llcs = 2, .cores = 2, .threads = 1 }, .duration_s = 1, \
	.run = look

KTSTR_TEST(every_kind_under_fifo) = {
	.description = "every kind of work under a scheduler of ours",
	.scheduler = { .argv = { "scx_ktfifo", "--slice-us", "5000" } },
	EVERY_KIND,
	.cgroups = {
#include <ktstr/work_kinds.def>
	},
};

KTSTR_TEST(every_kind) = {
	.description = "the same under the kernel's scheduler",
	EVERY_KIND,
	.cgroups = {
#include <ktstr/work_kinds.def>
	},
};
