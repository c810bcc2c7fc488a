// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/frame/commands.h"

static const struct cli_command *const subcommands[] = {
	&cmd_cache,  &cmd_ctprof, &cmd_doctor,	&cmd_help,  &cmd_inspect,
	&cmd_kernel, &cmd_rerun,  &cmd_results, &cmd_shell, &cmd_show_test,
	&cmd_test,   &cmd_topo,	  &cmd_version, &cmd_vm,
};

static const struct exit_row exits[] = {
	{ EXIT_OK, "done" },
	{ EXIT_FAILED, "the command failed" },
	{ EXIT_USAGE, "the command line is wrong" },
};

const struct cli_command program_ktstr = {
	.name = "ktstr",
	.summary = "Test Linux process schedulers",
	.usage = "COMMAND [options]",
	.description =
		"`ktstr COMMAND --help` explains a command. Instruments are separate programs: ktstr-jemalloc-probe(1) reads the allocation counters of a live process.",
	COMMAND_EXITS(exits),
	COMMAND_SUBCOMMANDS(subcommands),
};
