// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/frame/commands.h"
#include "cli/test/test.h"

static const struct cli_option options[] = {
	CLI_OPTION("pattern", "PATTERN", CLI_STRINGS(struct test_config, patterns),
		   "run the tests whose suite:test matches: a part of it, or a glob for all of it",
		   .letter = 'k'),
	CLI_OPTION("list", NULL, CLI_FLAG(struct test_config, list),
		   "print what would be run, one name per line, and run nothing", .letter = 'l'),
	CLI_OPTION(
		"topology", "TOPOLOGY", CLI_STRINGS(struct test_config, topologies),
		"run each test on this machine instead of its own, like 1n2l2c1t or the name of a preset",
		.letter = 't'),
	CLI_OPTION("kernel", "KERNEL", CLI_STRINGS(struct test_config, kernels),
		   "boot this kernel: a series, a version, or a path; see ktstr kernel list",
		   .complete = CLI_COMPLETE_FILE),
	CLI_OPTION(
		"files", "DIR", CLI_STRINGS(struct test_config, dirs),
		"search this directory for the files that tests name, before PATH and after the binary's own directory",
		.complete = CLI_COMPLETE_FILE),
	CLI_OPTION(
		"clock", "NAME", CLI_CHOICE(struct test_config, clock, vm_clock_wish_words),
		"the guests' clock: a virtual one counts instructions, so that runs repeat to the bit; auto is virtual where guests are emulated"),
	CLI_OPTION(
		"mips", "M", CLI_U32(struct test_config, mips, 1, 1000),
		"with a virtual clock: millions of instructions per second of guest time that a CPU executes when all are busy"),
	CLI_OPTION(
		"seed", "N", CLI_STRING(struct test_config, seed),
		"with a virtual clock: what decides random bytes, starts of workers and where turns of CPUs end; 1 by default, 0 leaves turns to QEMU"),
	CLI_OPTION("seeds", "A..B", CLI_STRING(struct test_config, seeds),
		   "run each test once with every seed from A to B"),
	TEST_OPTIONS_OF_RUNS(
		"run each test this many times, with a virtual clock once with each of the seeds 1 to N; every run counts"),
	CLI_ARGUMENT("BINARY", CLI_STRINGS(struct test_config, binaries),
		     "programs that declare tests, built with libktstr", .required = true,
		     .complete = CLI_COMPLETE_FILE),
};

static const struct cli_exit_row exits[] = {
	TEST_EXITS("the command line or a declaration is wrong; nothing was run"),
};

static const struct test_config defaults = TEST_DEFAULTS;

const struct cli_command cli_cmd_test = {
	.name = "test",
	.summary = "Run declared scheduler tests, each in a fresh guest",
	.usage = "[options] BINARY...",
	.description =
		"Asks each BINARY which tests it declares, boots or clones the machine that each of them asks for, runs it there and gives a verdict: pass, fail, skip, broken or inconclusive, always with a reason. Every executed test leaves a record; see ktstr results and ktstr rerun. Nothing is ever retried.",
	.examples = "  ktstr test ./mytests\n"
		    "  ktstr test ./mytests -k fair -t 2n4l2c1t --kernel 6.18\n"
		    "  ktstr test ./mytests --repeat 20 --jobs 4\n"
		    "  ktstr test ./mytests --format junit > results.xml\n"
		    "  git bisect run ktstr test ./mytests -k stalls --bisect\n",
	CLI_ROWS(options, 1),
	CLI_WORDS("Formats", test_formats),
	CLI_EXITS(exits),
	.config_size = sizeof(struct test_config),
	.defaults = &defaults,
	.check = test_config_check,
	.run = test_run,
};
