// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/frame/commands.h"

static const struct cli_command *const subcommands[] = {
	&cli_cmd_cache,	 &cli_cmd_ctprof, &cli_cmd_doctor,  &cli_cmd_help,  &cli_cmd_inspect,
	&cli_cmd_kernel, &cli_cmd_rerun,  &cli_cmd_results, &cli_cmd_shell, &cli_cmd_show_test,
	&cli_cmd_test,	 &cli_cmd_topo,	  &cli_cmd_version, &cli_cmd_vm,
};

const struct cli_command cli_program_ktstr = {
	.name = "ktstr",
	.summary = "Test Linux process schedulers",
	.usage = "COMMAND [options]",
	.description =
		"`ktstr COMMAND --help` explains a command. Instruments are separate programs: ktstr-jemalloc-probe(1) reads the allocation counters of a live process.",
	CLI_EXITS_USUAL("done", "the command failed"),
	CLI_SUBCOMMANDS(subcommands),
};
