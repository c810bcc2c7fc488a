// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/frame/commands.h"
#include "cli/rerun/rerun.h"

static const struct cli_option options[] = {
	CLI_OPTION("exact", NULL, CLI_FLAG(struct rerun_config, exact),
		   "run nothing if anything has changed"),
	CLI_OPTION("files", "DIR", CLI_STRINGS(struct rerun_config, test.dirs),
		   "search this directory for files that are no longer where they were",
		   .complete = CLI_COMPLETE_FILE),
	TEST_OPTIONS_OF_RUNS("run the test this many times; every run counts"),
	CLI_ARGUMENT("RECORD", CLI_STRING(struct rerun_config, record),
		     "what a run left: TEST-ID.ktstr.json, finished or not", .required = true,
		     .complete = CLI_COMPLETE_FILE),
};

static const struct cli_exit_row exits[] = {
	TEST_EXITS("something is missing, or has changed and --exact is given; nothing was run"),
};

static const struct rerun_config defaults = { .test = TEST_DEFAULTS };

struct rerun {
	const struct rerun_config *config;
	const struct result_run *past;
};

static struct error *gather_rerun(const void *context, const struct cancel *cancel,
				  struct harness_session *ret)
{
	const struct rerun *rerun = context;

	return rerun_gather(rerun->config, rerun->past, cancel, ret);
}

static int run(const struct cli_invocation *invocation UNUSED, const void *config_)
{
	const struct rerun_config *config = config_;
	_cleanup_result_run_ struct result_run past = { 0 };
	_cleanup_error_ struct error *err = result_run_read(config->record, &past);
	const struct rerun rerun = { config, &past };

	if (err) {
		cli_print_error(error_message(err));
		return TEST_USAGE;
	}
	return test_run_gathered(&config->test, gather_rerun, &rerun);
}

const struct cli_command cli_cmd_rerun = {
	.name = "rerun",
	.summary = "Run a recorded test again in the same way",
	.usage = "[options] RECORD",
	.description =
		"Runs the variant of a test that left RECORD once more: the same binary and test, on the same machine, with the same kernel, arguments and files. What has changed is reported first, and then the test runs with what is there now; what is missing is an error that says how to get it back.\n"
		"The binary that the record names is asked for its tests on this machine: do not rerun a record that you do not trust.",
	.examples =
		"  ktstr rerun ktstr-results/2026-11-15T14-30-05-4711/fair-0123456789abcdef.ktstr.json\n"
		"  ktstr rerun fair-0123456789abcdef.ktstr.json --repeat 20 --keep\n"
		"  ktstr rerun fair-0123456789abcdef.ktstr.json --exact --cold\n",
	CLI_ROWS(options, 1),
	CLI_WORDS("Formats", test_formats),
	CLI_EXITS(exits),
	.config_size = sizeof(struct rerun_config),
	.defaults = &defaults,
	.check = test_config_check,
	.run = run,
};
