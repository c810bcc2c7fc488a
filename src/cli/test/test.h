/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of `ktstr test` share, and `ktstr rerun` with them. */
#ifndef KTSTR_CLI_TEST_TEST_H
#define KTSTR_CLI_TEST_TEST_H

#include "cli/frame/command.h"
#include "harness/session.h"
#include "report/report.h"
#include "result/outcome.h"
#include "vm/clock.h"

struct test_config {
	struct cli_strings binaries;
	struct cli_strings patterns;
	struct cli_strings topologies;
	struct cli_strings kernels;
	struct cli_strings dirs;  /* --files */
	const char *output;	  /* -o: NULL is a fresh directory */
	const char *seed, *seeds; /* NULL: not given; test_config_check() reads them */
	uint64_t first_seed, last_seed;
	int format;
	int accel;
	int clock;     /* enum vm_clock_wish */
	uint32_t mips; /* 0: not given */
	uint32_t jobs; /* 0: by the host */
	uint32_t ahead;
	uint32_t repeat;
	uint32_t keep_guest_sec;
	bool list;
	bool cold;
	bool keep;
	bool bisect;
	bool verbose;
	bool quiet;
};

enum test_exit {
	TEST_PASSED = 0,
	TEST_FAILED = 1,
	TEST_USAGE = 2,
	TEST_UNDECIDED = 3, /* nothing failed, something is broken or inconclusive */
	/* ktstr rerun: it should have been the recorded run again, and was another. */
	TEST_NOT_IDENTICAL = 4,
	TEST_INTERRUPTED = 130,
	/* What git bisect takes for "cannot be tested". */
	TEST_BISECT_SKIP = 125,
};

/* The options of every command that runs tests: how they are run and shown, not which. */

/* A config of such a command begins with a struct test_config. */
#define TEST_OPTIONS_OF_RUNS(repeat_help)                                                                                                                                  \
	CLI_OPTION(                                                                                                                                                        \
		"jobs", "N", CLI_U32(struct test_config, jobs, 1, 256),                                                                                                    \
		"guests at once; by default one for every two CPUs of the host, and tests with limits of spread or gap run alone; with a virtual clock one for every CPU", \
		.letter = 'j'),                                                                                                                                            \
		CLI_OPTION("ahead", "N", CLI_U32(struct test_config, ahead, 0, 16),                                                                                        \
			   "guests that are started in advance while others run"),                                                                                         \
		CLI_OPTION("repeat", "N", CLI_U32(struct test_config, repeat, 1, 100000),                                                                                  \
			   repeat_help),                                                                                                                                   \
		CLI_OPTION(                                                                                                                                                \
			"cold", NULL, CLI_FLAG(struct test_config, cold),                                                                                                  \
			"boot every guest from the first instruction instead of cloning a booted one"),                                                                    \
		CLI_OPTION("keep", NULL, CLI_FLAG(struct test_config, keep),                                                                                               \
			   "keep console, output and logs of tests that passed, too"),                                                                                     \
		CLI_OPTION(                                                                                                                                                \
			"keep-guest", "SECONDS",                                                                                                                           \
			CLI_U32(struct test_config, keep_guest_sec, 1, 86400),                                                                                             \
			"stop guests that hung or panicked and keep up to four of them for this time, for ktstr inspect"),                                                 \
		CLI_OPTION("accel", "NAME",                                                                                                                                \
			   CLI_CHOICE(struct test_config, accel, vm_accel_wish_words),                                                                                     \
			   "what executes the guests"),                                                                                                                    \
		CLI_OPTION("format", "FORMAT",                                                                                                                             \
			   CLI_CHOICE(struct test_config, format, report_format_names),                                                                                    \
			   "how results are shown on standard output"),                                                                                                    \
		CLI_OPTION("output", "DIR", CLI_STRING(struct test_config, output),                                                                                        \
			   "where records go; by default a new directory below ktstr-results",                                                                             \
			   .letter = 'o', .complete = CLI_COMPLETE_FILE),                                                                                                  \
		CLI_OPTION(                                                                                                                                                \
			"bisect", NULL, CLI_FLAG(struct test_config, bisect),                                                                                              \
			"exit with what git bisect run expects: 0 good, 1 bad, 125 cannot be tested"),                                                                     \
		CLI_OPTION("verbose", NULL, CLI_FLAG(struct test_config, verbose),                                                                                         \
			   "show notes and paths of every test", .letter = 'v'),                                                                                           \
		CLI_OPTION("quiet", NULL, CLI_FLAG(struct test_config, quiet),                                                                                             \
			   "show only what did not pass, and the summary", .letter = 'q')

#define TEST_DEFAULTS { .ahead = 1, .repeat = 1 }

/* `usage` is what else makes a run end before it began. */
#define TEST_EXITS(usage)                                                                      \
	{ TEST_PASSED, "everything passed or was skipped" }, { TEST_FAILED, "a test failed" }, \
		{ TEST_USAGE, usage },                                                         \
		{ TEST_UNDECIDED, "nothing failed, but something is broken or inconclusive" }, \
		{ TEST_BISECT_SKIP, "with --bisect: it could not be tested" },                 \
		{ TEST_INTERRUPTED, "interrupted; what had not ended is inconclusive" }

extern const struct cli_word_row test_formats[REPORT_N_FORMATS];
/*
 * Options that exclude each other, and seeds as numbers; of any config that begins with a struct
 * test_config.
 */
struct error *test_config_check(void *config) MUST_CHECK;

/* The exit status of a run. */

struct test_counts {
	size_t by_verdict[RESULT_N_VERDICTS];
	bool interrupted;
};

/*
 * What failed counts before what could not be decided. A run in which nothing passed and nothing
 * failed shows nothing: for git bisect it could not be tested, also when all was skipped.
 */
int test_exit_status(const struct test_counts *counts, bool bisect);

/* Nothing could be run. To git bisect TEST_USAGE would mean that the commit is bad. */
int test_exit_unready(bool bisect);
/* The tests give `status`, but the report could not be written completely. */
int test_exit_untold(int status, bool bisect);

/* Lists, plans, runs and reports; the value is the exit status. */
int test_run(const struct cli_invocation *invocation, const void *config);

/* Where the plan of a command comes from, and who else wants to know what came of it. */
struct test_source {
	/* What fails here means that nothing is run. */
	struct error *(*gather)(void *context, const struct cancel *cancel,
				struct harness_session *ret);
	/* The record of the test is whole by then. May be NULL. */
	void (*finished)(void *context, const struct result_outcome *outcome);
	void *context;
};
int test_run_gathered(const struct test_config *config, const struct test_source *source);
/* "error: …", and mistakes in declarations one to a line. */
void test_print_failure(const struct error *err);
/*
 * What the options say of clocks. Who asks for a seed or a speed asks for the virtual clock; with
 * it --repeat N is the seeds 1 to N.
 */
struct harness_plan_clock test_clock(const struct test_config *config);
/* The plan of a session that has suites and kernels. */
struct error *test_plan(const struct test_config *config, const struct harness_plan_clock *clock,
			unsigned int repeat, struct harness_session *session) MUST_CHECK;

#endif
