// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/frame/commands.h"

#include "cli/kernel/commands.h"

static const struct cli_command *const subcommands[] = {
	&cmd_kernel_fetch, &cmd_kernel_list, &cmd_kernel_info,
	&cmd_kernel_check, &cmd_kernel_add,  &cmd_kernel_remove,
};

static const struct cli_exit_row exits[] = {
	{ CLI_EXIT_OK, "done" },
	{ CLI_EXIT_FAILED, "the command failed, or the kernel is not usable" },
	{ CLI_EXIT_USAGE, "the command line is wrong" },
};

const struct cli_command cli_cmd_kernel = {
	.name = "kernel",
	.summary = "Get, check and keep the kernels that guests boot",
	.usage = "COMMAND [options]",
	.description =
		"Where a command takes a kernel, it is a series (6.18: the newest of it), a version (6.18.15), an id of `ktstr kernel list`, or a path with a slash in it. The default kernel is the newest cached one of the series 6.18, else the newest that is usable for sched_ext. KTSTR_KERNEL names another.",
	CLI_EXITS(exits),
	CLI_SUBCOMMANDS(subcommands),
};
