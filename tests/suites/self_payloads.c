// SPDX-License-Identifier: GPL-2.0-or-later
/* Payloads that say what is not so. tests/self has the verdicts. */
#include <ktstr/short.h>

static void run_with_unit(struct ktstr_ctx *ctx, const char *what, const char *unit)
{
	ktstr_run_program(ctx,
			  &(struct ktstr_program){
				  .argv = (const char *const[]){ "self_payload", what, NULL },
				  .output = KTSTR_OUTPUT_JSON,
				  .checks = { KTSTR_EXIT_CODE(0), KTSTR_MIN("ops_per_s", 1000) },
				  .hints = { { "ops_per_s", unit, KTSTR_HIGHER_IS_BETTER } },
			  });
}

/* The unit does not say that it is a rate, so it is judged whatever the clock. */
static void run_one(struct ktstr_ctx *ctx, const char *what)
{
	run_with_unit(ctx, what, "ops");
}

static void claim(struct ktstr_ctx *ctx)
{
	run_one(ctx, "claim");
}
KTSTR_TEST(claims_and_fails) = { .files = { "self_payload" }, .run = claim };

static void garbage(struct ktstr_ctx *ctx)
{
	run_one(ctx, "garbage");
}
KTSTR_TEST(prints_garbage) = { .files = { "self_payload" }, .run = garbage };

/* Metrics are what a payload says; that it says more does not matter. */
static void lie(struct ktstr_ctx *ctx)
{
	run_one(ctx, "lie");
}
KTSTR_TEST(reports_on_its_streams) = { .files = { "self_payload" }, .run = lie };

static void limit_a_rate(struct ktstr_ctx *ctx)
{
	run_with_unit(ctx, "lie", "1/s");
}
KTSTR_TEST(limits_a_rate) = { .files = { "self_payload" }, .run = limit_a_rate };

static void inherited(struct ktstr_ctx *ctx)
{
	struct ktstr_metrics *metrics = ktstr_run(ctx, "self_payload", "inherited");

	EXPECT(ctx, ktstr_exit_code(metrics) == 0,
	       "a payload has a descriptor that is not its own");
}
KTSTR_TEST(writes_to_every_descriptor) = { .files = { "self_payload" }, .run = inherited };

static void forge(struct ktstr_ctx *ctx)
{
	struct ktstr_metrics *metrics = ktstr_run(ctx, "self_payload", "forge");

	EXPECT(ctx, ktstr_exit_code(metrics) == 0, "it could not even be tried");
}
KTSTR_TEST(forges_the_report) = { .files = { "self_payload" }, .run = forge };

static void silence(struct ktstr_ctx *ctx)
{
	ktstr_run(ctx, "self_payload", "silence");
}
KTSTR_TEST(silences_the_test) = { .files = { "self_payload" }, .run = silence };
