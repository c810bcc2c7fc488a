// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands.h"
#include "cli/test/run.h"
#include "vm/accel.h"

static const char *const formats[] = {
#define REPORT_FORMAT(id, word, help) word,
#include "report/report_formats.def"
#undef REPORT_FORMAT
	NULL
};

static const struct option_row options[] = {
	{ .name = "pattern",
	  .letter = 'k',
	  .argument = "PATTERN",
	  OPTION_STRINGS(struct test_config, patterns),
	  .help = "run the tests whose suite:test matches: a part of it, or a glob for all of it" },
	{ .name = "list",
	  .letter = 'l',
	  OPTION_FLAG(struct test_config, list),
	  .help = "say what would be run, one name per line, and run nothing" },
	{ .name = "topology",
	  .letter = 't',
	  .argument = "TOPOLOGY",
	  OPTION_STRINGS(struct test_config, topologies),
	  .help = "run each test on this machine instead of its own, like 1n2l2c1t or the name of a preset" },
	{ .name = "kernel",
	  .argument = "KERNEL",
	  OPTION_STRINGS(struct test_config, kernels),
	  .complete = OPTION_COMPLETE_FILE,
	  .help = "boot this kernel: a series, a version, or a path; see ktstr kernel list" },
	{ .name = "files",
	  .argument = "DIR",
	  OPTION_STRINGS(struct test_config, folders),
	  .complete = OPTION_COMPLETE_FILE,
	  .help = "look here for the files that tests name, before PATH and after the binary's own folder" },
	{ .name = "jobs",
	  .letter = 'j',
	  .argument = "N",
	  OPTION_U32(struct test_config, jobs, 1, 256),
	  .help = "guests at once; otherwise one for every two CPUs of the host" },
	{ .name = "ahead",
	  .argument = "N",
	  OPTION_U32(struct test_config, ahead, 0, 16),
	  .help = "guests that are started ahead while others run" },
	{ .name = "repeat",
	  .argument = "N",
	  OPTION_U32(struct test_config, repeat, 1, 100000),
	  .help = "run each test so often; every run counts" },
	{ .name = "cold",
	  OPTION_FLAG(struct test_config, cold),
	  .help = "boot every guest from the first instruction instead of cloning a booted one" },
	{ .name = "keep",
	  OPTION_FLAG(struct test_config, keep),
	  .help = "keep console, output and logs of tests that passed, too" },
	{ .name = "accel",
	  .argument = "NAME",
	  OPTION_CHOICE(struct test_config, accel, accel_wish_words),
	  .help = "what executes the guests" },
	{ .name = "format",
	  .argument = "FORMAT",
	  OPTION_CHOICE(struct test_config, format, formats),
	  .help = "how results are shown on standard output" },
	{ .name = "output",
	  .letter = 'o',
	  .argument = "DIR",
	  OPTION_STRING(struct test_config, output),
	  .complete = OPTION_COMPLETE_FILE,
	  .help = "where records go; otherwise a fresh folder below ktstr-results" },
	{ .name = "bisect",
	  OPTION_FLAG(struct test_config, bisect),
	  .help = "exit with what git bisect run understands: 0 good, 1 bad, 125 cannot be told" },
	{ .name = "verbose",
	  .letter = 'v',
	  OPTION_FLAG(struct test_config, verbose),
	  .help = "show notes and paths of every test" },
	{ .name = "quiet",
	  .letter = 'q',
	  OPTION_FLAG(struct test_config, quiet),
	  .help = "show only what did not pass, and the summary" },
};

static const struct option_row positionals[] = {
	{ .argument = "BINARY",
	  OPTION_STRINGS(struct test_config, binaries),
	  .required = true,
	  .complete = OPTION_COMPLETE_FILE,
	  .help = "programs that declare tests, built with libktstr" },
};

static const struct exit_row exits[] = {
	{ TEST_PASSED, "everything passed or was skipped" },
	{ TEST_FAILED, "a test failed" },
	{ TEST_USAGE, "the command line or a declaration is wrong; nothing was run" },
	{ TEST_UNDECIDED, "nothing failed, but something is broken or inconclusive" },
	{ TEST_BISECT_SKIP, "with --bisect: it could not be told" },
	{ TEST_INTERRUPTED, "interrupted; what had not ended is inconclusive" },
};

static const struct test_config defaults = { .ahead = 1, .repeat = 1 };

static struct error *check(const void *config_)
{
	const struct test_config *config = config_;

	if (config->verbose && config->quiet)
		return cli_error(CLI_USAGE, 0, "--verbose and --quiet exclude each other");
	return NULL;
}

static int run(const struct invocation *invocation UNUSED, const void *config)
{
	return test_run(config);
}

const struct command cmd_test = {
	.name = "test",
	.summary = "Run declared scheduler tests, each in a fresh guest",
	.usage = "[options] BINARY...",
	.description =
		"Asks each BINARY which tests it declares, boots or clones the machine that each of them asks for, runs it there and answers with a verdict: pass, fail, skip, broken or inconclusive, always with a reason. Every executed test leaves a record; see ktstr results and ktstr rerun. Nothing is ever retried.",
	.examples = "  ktstr test ./mytests\n"
		    "  ktstr test ./mytests -k fair -t 2n4l2c1t --kernel 6.18\n"
		    "  ktstr test ./mytests --repeat 20 --jobs 4\n"
		    "  ktstr test ./mytests --format junit > results.xml\n"
		    "  git bisect run ktstr test ./mytests -k stalls --bisect\n",
	.options = options,
	.n_options = ARRAY_SIZE(options),
	.positionals = positionals,
	.n_positionals = ARRAY_SIZE(positionals),
	.exits = exits,
	.n_exits = ARRAY_SIZE(exits),
	.config_size = sizeof(struct test_config),
	.defaults = &defaults,
	.check = check,
	.run = run,
};
