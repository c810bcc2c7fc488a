// SPDX-License-Identifier: GPL-2.0-or-later
/* What a declaration asks for that is not so: needs, and failures that must happen. */
#include <signal.h>

#include <ktstr/short.h>

static void nothing(struct ktstr_ctx *ctx)
{
	(void)ctx;
}

static void fail(struct ktstr_ctx *ctx)
{
	EXPECT(ctx, ktstr_online_cpus(ctx) == 0, "%u CPUs are online", ktstr_online_cpus(ctx));
}

static void need(struct ktstr_ctx *ctx)
{
	NEED(ctx, ktstr_online_cpus(ctx) > 1000, "only %u CPUs", ktstr_online_cpus(ctx));
}

static void crash(struct ktstr_ctx *ctx)
{
	(void)ctx;
	raise(SIGSEGV);
}

static void fail_and_crash(struct ktstr_ctx *ctx)
{
	fail(ctx);
	crash(ctx);
}

KTSTR_TEST(passes) = { .run = nothing };
KTSTR_TEST(fails) = { .run = fail };
KTSTR_TEST(breaks) = { .run = crash };
KTSTR_TEST(breaks_after_a_failure) = { .run = fail_and_crash };

/* Nobody waits for the end of work that proves nothing. */
KTSTR_TEST(need_in_the_function) = {
	.cgroups = { { "busy", .work = { WORK_SPIN, .workers = 1 } } },
	.duration_s = 3600,
	.run = need,
};
KTSTR_TEST(needs_more_cpus) = { .needs = { .min_cpus = 3 }, .run = nothing };
KTSTR_TEST(needs_fewer_cpus) = { .needs = { .max_cpus = 1 }, .run = nothing };
KTSTR_TEST(needs_an_option) = { .needs = { .kconfig = { "CONFIG_NOBODY_HAS_THIS" } },
				.run = nothing };
KTSTR_TEST(needs_smt) = { .needs = { .smt = true }, .run = nothing };
KTSTR_TEST(needs_sched_ext) = { .needs = { .sched_ext = true }, .run = nothing };

KTSTR_TEST(expects_what_happens) = { .expect = KTSTR_REASON_EXPECTATION, .run = fail };
KTSTR_TEST(expects_another) = { .expect = KTSTR_REASON_PAYLOAD, .run = fail };
KTSTR_TEST(expects_and_passes) = { .expect = KTSTR_REASON_EXPECTATION, .run = nothing };
KTSTR_TEST(expects_and_breaks) = { .expect = KTSTR_REASON_EXPECTATION, .run = crash };
KTSTR_TEST(expects_and_fails_and_breaks) = { .expect = KTSTR_REASON_EXPECTATION,
					     .run = fail_and_crash };
KTSTR_TEST(expects_and_skips) = { .expect = KTSTR_REASON_EXPECTATION, .run = need };
