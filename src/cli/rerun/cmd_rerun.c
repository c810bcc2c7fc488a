// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/frame/commands.h"
#include "cli/rerun/rerun.h"

#include <stdio.h>
#include <stdlib.h>

#include "text/terminal.h"

static const struct cli_option options[] = {
	CLI_OPTION("exact", NULL, CLI_FLAG(struct rerun_config, exact),
		   "run nothing if anything has changed"),
	CLI_OPTION("files", "DIR", CLI_STRINGS(struct rerun_config, test.dirs),
		   "search this directory for the binary and files that are not where they were",
		   .complete = CLI_COMPLETE_FILE),
	TEST_OPTIONS_OF_RUNS("run the test this many times; every run counts"),
	CLI_ARGUMENT("RECORD", CLI_STRING(struct rerun_config, record),
		     "what a run left: TEST-ID.ktstr.json, finished or not", .required = true,
		     .complete = CLI_COMPLETE_FILE),
};

static const struct cli_exit_row exits[] = {
	TEST_EXITS("something is missing, or has changed and --exact is given; nothing was run"),
	{ TEST_NOT_IDENTICAL,
	  "with a virtual clock: nothing had changed, and the run was not identical to the recorded one" },
};

static const struct rerun_config defaults = { .test = TEST_DEFAULTS };

struct rerun {
	const struct rerun_config *config;
	const struct result_run *past;
	bool changed;		  /* something that makes it another run */
	VEC(char *) names, paths; /* of the runs that ended, and of their records */
};

static void rerun_deinit(struct rerun *rerun)
{
	for (size_t i = 0; i < rerun->paths.n; i++) {
		free(rerun->names.at[i]);
		free(rerun->paths.at[i]);
	}
	vec_deinit(&rerun->names);
	vec_deinit(&rerun->paths);
}

static struct error *gather_rerun(void *context, const struct cancel *cancel,
				  struct harness_session *ret)
{
	struct rerun *rerun = context;

	return rerun_gather(rerun->config, rerun->past, cancel, &rerun->changed, ret);
}

static void on_finished(void *context, const struct result_outcome *outcome)
{
	struct rerun *rerun = context;

	if (!outcome->record_path)
		return;
	vec_push(&rerun->names, xstrdup(outcome->name));
	vec_push(&rerun->paths, xstrdup(outcome->record_path));
}

static enum identity compare_run(const struct rerun *rerun, size_t i)
{
	_cleanup_result_run_ struct result_run now = { 0 };
	_cleanup_error_ struct error *err = result_run_read(rerun->paths.at[i], &now);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	enum identity identity;

	if (err) {
		cli_print_error(error_message(err));
		return IDENTITY_UNKNOWN;
	}
	if (rerun->paths.n > 1) {
		text_escape(&text, rerun->names.at[i]);
		strbuf_append(&text, ": ");
	}
	identity = identity_compare(rerun->config->record, rerun->past, rerun->paths.at[i], &now,
				    &text);
	if (!rerun->config->test.quiet || identity != IDENTITY_SAME)
		fputs(strbuf_str(&text), stderr);
	return identity;
}

/* What the tests say counts, unless a run that should have been the same was not. */
static int compare_runs(const struct rerun *rerun, int status)
{
	bool differs = false;

	if (rerun->past->clock.kind != RESULT_CLOCK_VIRTUAL || status == TEST_INTERRUPTED)
		return status;
	for (size_t i = 0; i < rerun->paths.n; i++)
		differs |= compare_run(rerun, i) == IDENTITY_DIFFERENT;
	if (differs && rerun->changed)
		cli_say("the run differs because something has changed: see above");
	return !differs || rerun->changed || rerun->config->test.bisect ? status
									: TEST_NOT_IDENTICAL;
}

static int run(const struct cli_invocation *invocation UNUSED, const void *config_)
{
	const struct rerun_config *config = config_;
	_cleanup_result_run_ struct result_run past = { 0 };
	_cleanup_error_ struct error *err = result_run_read(config->record, &past);
	struct test_config test = config->test;
	_cleanup_(rerun_deinit) struct rerun rerun = { .config = config, .past = &past };
	const struct test_source source = {
		.gather = gather_rerun,
		.finished = on_finished,
		.context = &rerun,
	};

	if (err) {
		cli_print_error(error_message(err));
		return TEST_USAGE;
	}
	/* A guest that boots is another run than a clone. */
	test.cold |= past.clock.kind == RESULT_CLOCK_VIRTUAL && past.accel && !past.cloned;
	return compare_runs(&rerun, test_run_gathered(&test, &source));
}

const struct cli_command cli_cmd_rerun = {
	.name = "rerun",
	.summary = "Run a recorded test again in the same way",
	.usage = "[options] RECORD",
	.description =
		"Runs the variant of a test that left RECORD once more: the same binary and test, on the same machine, with the same kernel, arguments and files. What has changed is reported first, and then the test runs with what is there now; what is missing is an error that says how to get it back. A run in virtual time has the clock, speed and seed of the record; it is then said to be identical to the bit, or what differed first.\n"
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
