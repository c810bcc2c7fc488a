// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands.h"

#include "base/alloc.h"

struct help_config {
	const char *command;
};

static const struct option_row positionals[] = {
	{ .argument = "COMMAND",
	  OPTION_STRING(struct help_config, command),
	  .complete = OPTION_COMPLETE_COMMAND,
	  .help = "the command to explain; without it, all of them" },
};

static int run(const struct invocation *invocation, const void *config_)
{
	const struct help_config *config = config_;
	const struct command *program = invocation->program;
	char *argv[] = { (char *)program->name, (char *)config->command, (char *)"--help", NULL };

	/* `ktstr help x` is `ktstr x --help`, so that a wrong name gets the same answer. */
	if (config->command)
		return command_main(program, 3, argv);
	argv[1] = argv[2];
	return command_main(program, 2, argv);
}

const struct command cmd_help = {
	.name = "help",
	.summary = "Explain a command",
	.usage = "[COMMAND]",
	.positionals = positionals,
	.n_positionals = ARRAY_SIZE(positionals),
	.config_size = sizeof(struct help_config),
	.run = run,
};
