// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/frame/commands.h"

#include "base/alloc.h"

struct help_config {
	struct cli_strings words;
};

static const struct cli_option positionals[] = {
	CLI_ARGUMENT("COMMAND", CLI_STRINGS(struct help_config, words),
		     "the command to explain, such as kernel fetch; without it, all of them",
		     .complete = CLI_COMPLETE_COMMAND),
};

static int run(const struct cli_invocation *invocation, const void *config_)
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

const struct cli_command cli_cmd_help = {
	.name = "help",
	.summary = "Explain a command",
	.usage = "[COMMAND...]",
	CLI_POSITIONALS(positionals),
	.config_size = sizeof(struct help_config),
	.run = run,
};
