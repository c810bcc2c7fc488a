// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/test/test.h"

#include "base/slice.h"
#include "harness/limits.h"

const struct cli_word_row test_formats[REPORT_N_FORMATS] = {
#define REPORT_FORMAT(id, word, help) { word, NULL, help },
#include "report/report_formats.def"
#undef REPORT_FORMAT
};

/* A number, or two of them with dots between: the first is at most the last. */
static bool read_seeds(struct slice text, bool several, uint64_t *ret_first, uint64_t *ret_last)
{
	size_t n = 0;

	while (n < text.n && text.at[n] != '.')
		n++;
	if (!slice_u64((struct slice){ text.at, n }, ret_first))
		return false;
	if (!several) {
		*ret_last = *ret_first;
		return n == text.n;
	}
	return text.n - n > 2 && text.at[n + 1] == '.' &&
	       slice_u64((struct slice){ text.at + n + 2, text.n - n - 2 }, ret_last) &&
	       *ret_first <= *ret_last;
}

static struct error *parse_seeds(struct test_config *config)
{
	config->first_seed = config->last_seed = HARNESS_DEFAULT_SEED;
	if (config->seed &&
	    !read_seeds(slice_of(config->seed), false, &config->first_seed, &config->last_seed))
		return cli_error(CLI_USAGE, 0, "--seed '%s': expected a number, such as 7",
				 config->seed);
	if (config->seeds &&
	    !read_seeds(slice_of(config->seeds), true, &config->first_seed, &config->last_seed))
		return cli_error(
			CLI_USAGE, 0,
			"--seeds '%s': expected two numbers, the smaller one first, such as "
			"1..200",
			config->seeds);
	if (config->last_seed - config->first_seed >= HARNESS_LIMIT_REPEAT)
		return cli_error(CLI_USAGE, 0, "--seeds '%s': more than %d seeds", config->seeds,
				 HARNESS_LIMIT_REPEAT);
	return NULL;
}

/* The option that asks for a virtual clock; NULL: none does. */
static const char *asks_for_virtual(const struct test_config *config)
{
	if (config->clock == VM_CLOCK_WISH_VIRTUAL)
		return "--clock virtual";
	if (config->seeds)
		return "--seeds";
	if (config->seed)
		return "--seed";
	return config->mips ? "--mips" : NULL;
}

static struct error *check_clock(const struct test_config *config)
{
	const char *asks = asks_for_virtual(config);

	if (config->seed && config->seeds)
		return cli_error(CLI_USAGE, 0, "--seed and --seeds exclude each other");
	if (config->repeat > 1 && (config->seed || config->seeds))
		return cli_error(
			CLI_USAGE, 0,
			"--repeat N is the seeds 1 to N with a virtual clock: %s and --repeat "
			"exclude each other",
			asks);
	if (asks && config->clock == VM_CLOCK_WISH_REAL)
		return cli_error(CLI_USAGE, 0,
				 "%s needs a virtual clock, which --clock real excludes", asks);
	if (asks && config->accel == VM_ACCEL_WISH_KVM)
		return cli_error(
			CLI_USAGE, 0,
			"%s needs a clock that counts instructions, which only --accel tcg can",
			asks);
	return NULL;
}

struct error *test_config_check(void *config_)
{
	struct test_config *config = config_;
	struct error *err;

	if (config->verbose && config->quiet)
		return cli_error(CLI_USAGE, 0, "--verbose and --quiet exclude each other");
	err = check_clock(config);
	return err ? err : parse_seeds(config);
}

struct harness_plan_clock test_clock(const struct test_config *config)
{
	enum vm_clock_wish wish = asks_for_virtual(config) ? VM_CLOCK_WISH_VIRTUAL
							   : (enum vm_clock_wish)config->clock;
	_cleanup_error_ struct error *why = NULL;
	struct harness_plan_clock clock = {
		.kind = vm_clock_choose(wish, (enum vm_accel_wish)config->accel, &why),
		.mips = config->mips,
		.first_seed = config->first_seed,
		.last_seed = config->last_seed,
	};

	if (why && !config->quiet)
		cli_say("note: tests use the real clock: %s", error_message(why));
	if (config->repeat > 1)
		clock.last_seed = clock.first_seed + config->repeat - 1;
	return clock;
}

int test_exit_status(const struct test_counts *counts, bool bisect)
{
	const size_t *n = counts->by_verdict;
	bool undecided = n[KTSTR_BROKEN] || n[KTSTR_INCONCLUSIVE];

	if (bisect && counts->interrupted)
		return TEST_INTERRUPTED; /* from 128 on git bisect stops */
	if (bisect && n[KTSTR_FAIL])
		return TEST_FAILED;
	if (bisect)
		return undecided || !n[KTSTR_PASS] ? TEST_BISECT_SKIP : TEST_PASSED;
	if (counts->interrupted)
		return TEST_INTERRUPTED;
	if (n[KTSTR_FAIL])
		return TEST_FAILED;
	return undecided ? TEST_UNDECIDED : TEST_PASSED;
}

int test_exit_unready(bool bisect)
{
	return bisect ? TEST_BISECT_SKIP : TEST_USAGE;
}

int test_exit_untold(int status, bool bisect)
{
	if (status != TEST_PASSED)
		return status;
	return bisect ? TEST_BISECT_SKIP : TEST_UNDECIDED;
}
