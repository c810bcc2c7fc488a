/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of every command that runs tests: how they are run and shown, not which. */
#ifndef KTSTR_CLI_TEST_OPTIONS_H
#define KTSTR_CLI_TEST_OPTIONS_H

#include "cli/frame/command.h"
#include "cli/test/config.h"
#include "report/report.h"
#include "vm/qemu/accel.h"

/* `in` is where the struct test_config stands in the config: nothing, or "test.". */
#define TEST_OPTIONS_OF_RUNS(config, in)                                                                                                  \
	{                                                                                                                                 \
		.name = "jobs",                                                                                                           \
		.letter = 'j',                                                                                                            \
		.argument = "N",                                                                                                          \
		CLI_U32(config, in jobs, 1, 256),                                                                                         \
		.help = "guests at once; by default one for every two CPUs of the host, and tests with limits of spread or gap run alone" \
	},                                                                                                                                \
		{ .name = "ahead",                                                                                                        \
		  .argument = "N",                                                                                                        \
		  CLI_U32(config, in ahead, 0, 16),                                                                                       \
		  .help = "guests that are started in advance while others run" },                                                        \
		{ .name = "repeat",                                                                                                       \
		  .argument = "N",                                                                                                        \
		  CLI_U32(config, in repeat, 1, 100000),                                                                                  \
		  .help = "run each test this many times; every run counts" },                                                            \
		{ .name = "cold",                                                                                                         \
		  CLI_FLAG(config, in cold),                                                                                              \
		  .help = "boot every guest from the first instruction instead of cloning a booted one" },                                \
		{ .name = "keep",                                                                                                         \
		  CLI_FLAG(config, in keep),                                                                                              \
		  .help = "keep console, output and logs of tests that passed, too" },                                                    \
		{ .name = "keep-guest",                                                                                                   \
		  .argument = "SECONDS",                                                                                                  \
		  CLI_U32(config, in keep_guest_sec, 1, 86400),                                                                           \
		  .help = "stop guests that hung or panicked and keep up to four of them for this time, for ktstr inspect" },             \
		{ .name = "accel",                                                                                                        \
		  .argument = "NAME",                                                                                                     \
		  CLI_CHOICE(config, in accel, vm_accel_wish_words),                                                                      \
		  .help = "what executes the guests" },                                                                                   \
		{ .name = "format",                                                                                                       \
		  .argument = "FORMAT",                                                                                                   \
		  CLI_CHOICE(config, in format, report_format_names),                                                                     \
		  .help = "how results are shown on standard output" },                                                                   \
		{ .name = "output",                                                                                                       \
		  .letter = 'o',                                                                                                          \
		  .argument = "DIR",                                                                                                      \
		  CLI_STRING(config, in output),                                                                                          \
		  .complete = CLI_COMPLETE_FILE,                                                                                          \
		  .help = "where records go; by default a new directory below ktstr-results" },                                           \
		{ .name = "bisect",                                                                                                       \
		  CLI_FLAG(config, in bisect),                                                                                            \
		  .help = "exit with what git bisect run expects: 0 good, 1 bad, 125 cannot be tested" },                                 \
		{ .name = "verbose",                                                                                                      \
		  .letter = 'v',                                                                                                          \
		  CLI_FLAG(config, in verbose),                                                                                           \
		  .help = "show notes and paths of every test" },                                                                         \
		{ .name = "quiet",                                                                                                        \
		  .letter = 'q',                                                                                                          \
		  CLI_FLAG(config, in quiet),                                                                                             \
		  .help = "show only what did not pass, and the summary" }

#define TEST_DEFAULTS { .ahead = 1, .repeat = 1 }

/* `usage` is what else makes a run end before it began. */
#define TEST_EXITS(usage)                                                                      \
	{ TEST_PASSED, "everything passed or was skipped" }, { TEST_FAILED, "a test failed" }, \
		{ TEST_USAGE, usage },                                                         \
		{ TEST_UNDECIDED, "nothing failed, but something is broken or inconclusive" }, \
		{ TEST_BISECT_SKIP, "with --bisect: it could not be tested" },                 \
		{ TEST_INTERRUPTED, "interrupted; what had not ended is inconclusive" }

extern const struct cli_word_row test_formats[REPORT_N_FORMATS];
/* Options that exclude each other. */
struct error *test_config_check(const struct test_config *config) MUST_CHECK;

#endif
