// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/frame/commands.h"

#include "cli/ctprof/commands.h"

static const struct cli_command *const subcommands[] = {
	&cmd_ctprof_capture,
	&cmd_ctprof_metric_list,
	&cmd_ctprof_show,
};

static const struct cli_exit_row exits[] = {
	{ CLI_EXIT_OK, "done" },
	{ CLI_EXIT_FAILED, "the command failed" },
	{ CLI_EXIT_USAGE, "the command line is wrong" },
	{ 130, "interrupted" },
};

const struct cli_command cli_cmd_ctprof = {
	.name = "ctprof",
	.summary = "Profile all threads and cgroups of a host",
	.usage = "COMMAND [options]",
	.description =
		"A snapshot holds what the kernel counts about every thread since it was created, the cgroups they are in, pressure, sched_ext and the host. Where a command takes a snapshot it is a file, or FILE@N: the N-th of a series.",
	CLI_EXITS(exits),
	CLI_SUBCOMMANDS(subcommands),
};
