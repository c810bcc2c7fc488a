// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/frame/commands.h"

struct help_config {
	struct cli_strings words;
};

static const struct cli_option help_positionals[] = {
	CLI_ARGUMENT("COMMAND", CLI_STRINGS(struct help_config, words),
		     "the command to explain, such as kernel fetch; without it, all of them",
		     .complete = CLI_COMPLETE_COMMAND),
};

static int run_help(const struct cli_invocation *invocation, const void *config_)
{
	const struct help_config *config = config_;
	const struct cli_command *program = invocation->program;
	char *argv[CLI_LIMIT_STRINGS + 3] = { (char *)program->name };
	int argc = 1;

	/* `ktstr help x y` is `ktstr x y --help`, so that a wrong name gets the same answer. */
	for (size_t i = 0; i < config->words.n; i++)
		argv[argc++] = (char *)(uintptr_t)config->words.at[i];
	argv[argc++] = (char *)"--help";
	return cli_main(program, argc, argv);
}

static const struct cli_command cmd_help = {
	.name = "help",
	.summary = "Explain a command",
	.usage = "[COMMAND...]",
	CLI_POSITIONALS(help_positionals),
	.config_size = sizeof(struct help_config),
	.run = run_help,
};

static int run_version(const struct cli_invocation *invocation, const void *config UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	cli_format_version(invocation->program, &text);
	return cli_print(&text);
}

static const struct cli_command cmd_version = {
	.name = "version",
	.summary = "Print name and version",
	.run = run_version,
};

static const struct cli_command *const subcommands[] = {
	&cli_cmd_cache,	 &cli_cmd_ctprof, &cli_cmd_doctor,  &cmd_help,	    &cli_cmd_inspect,
	&cli_cmd_kernel, &cli_cmd_rerun,  &cli_cmd_results, &cli_cmd_shell, &cli_cmd_show_test,
	&cli_cmd_test,	 &cli_cmd_topo,	  &cli_cmd_trace,   &cmd_version,   &cli_cmd_vm,
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
