// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/frame/commands.h"

#include "cli/jemalloc_probe/jemalloc_probe.h"

static const struct cli_option options[] = {
	CLI_OPTION("pid", "PID", CLI_I32(struct probe_config, pid, 1, INT32_MAX),
		   "the process to read", .required = true, .complete = CLI_COMPLETE_PID),
	CLI_OPTION("json", NULL, CLI_FLAG(struct probe_config, json),
		   "print one JSON document instead of text"),
	CLI_OPTION("snapshots", "N", CLI_U32(struct probe_config, snapshots, 1, SNAPSHOTS_MAX),
		   "how many snapshots to take; more than one needs --interval-ms"),
	CLI_OPTION("interval-ms", "MS",
		   CLI_U64(struct probe_config, interval_ms, 1, MILLISECONDS_MAX),
		   "milliseconds between two snapshots"),
	CLI_OPTION("abort-after-ms", "MS",
		   CLI_U64(struct probe_config, abort_after_ms, 1, MILLISECONDS_MAX),
		   "end after this many milliseconds with what was read until then"),
	CLI_OPTION("sidecar", "PATH", CLI_STRING(struct probe_config, sidecar),
		   "append the numbers to this record of a test run; it must exist",
		   .complete = CLI_COMPLETE_FILE),
	CLI_OPTION(
		"object", "NAME", CLI_STRING(struct probe_config, object),
		"read the jemalloc of this program or library, by path or file name; by default the one with the most allocations",
		.complete = CLI_COMPLETE_FILE),
	CLI_OPTION("verbose", NULL, CLI_FLAG(struct probe_config, verbose),
		   "say which file gave the offsets, and what was tried", .letter = 'v'),
	CLI_OPTION("ptrace", NULL, CLI_FLAG(struct probe_config, ptrace),
		   "stop every thread for a moment, even where reading needs no stop"),
	CLI_OPTION("no-ptrace", NULL, CLI_FLAG(struct probe_config, no_ptrace),
		   "never stop a thread; one that cannot be read otherwise is an error entry"),
};

static const struct cli_exit_row exits[] = {
	{ CLI_EXIT_OK, "at least one thread was read, or the run was interrupted before it began" },
	{ CLI_EXIT_FAILED, "nothing could be read, or the result could not be written" },
	{ CLI_EXIT_USAGE, "the command line is wrong, or the sidecar does not exist" },
	{ EXIT_SIDECAR, "the numbers were printed but not appended to the sidecar" },
};

static const struct probe_config defaults = { .snapshots = 1 };

static struct error *check(void *config_)
{
	const struct probe_config *config = config_;

	if (config->snapshots > 1 && config->interval_ms == 0)
		return cli_error(CLI_USAGE, 0,
				 "--snapshots %u requires --interval-ms MS, the time between them",
				 config->snapshots);
	if (config->snapshots == 1 && config->interval_ms)
		return cli_error(CLI_USAGE, 0,
				 "--interval-ms %llu is only meaningful with --snapshots > 1; "
				 "leave it out or add --snapshots N",
				 (unsigned long long)config->interval_ms);
	if (config->ptrace && config->no_ptrace)
		return cli_error(CLI_USAGE, 0,
				 "--ptrace and --no-ptrace exclude each other; give one of them");
	return NULL;
}

static int run(const struct cli_invocation *invocation UNUSED, const void *config)
{
	return probe_run(config);
}

const struct cli_command cli_program_jemalloc_probe = {
	.name = "ktstr-jemalloc-probe",
	.summary = "Read jemalloc's per-thread allocation counters out of a running process",
	.usage = "--pid PID [options]",
	.description =
		"Shows for each thread how many bytes it has allocated and freed since it was created. The program under the probe is not changed and, with glibc 2.34 or newer, not stopped. Works with jemalloc in the executable or in a shared library, with or without debug information.\n\nNeeds the right to trace the process: the same user, or CAP_SYS_PTRACE where Yama restricts it.",
	.examples = "  ktstr-jemalloc-probe --pid 1234\n"
		    "  ktstr-jemalloc-probe --pid 1234 --snapshots 5 --interval-ms 200 --json\n"
		    "  ktstr-jemalloc-probe --pid 1234 --snapshots 10 --interval-ms 500 \\\n"
		    "          --abort-after-ms 3000\n"
		    "  ktstr-jemalloc-probe --pid 1234 --sidecar run/test.ktstr.json\n",
	CLI_OPTIONS(options),
	CLI_EXITS(exits),
	.config_size = sizeof(struct probe_config),
	.defaults = &defaults,
	.check = check,
	.run = run,
};
