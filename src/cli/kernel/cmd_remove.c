// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/kernel/commands.h"

#include "kernel/cache.h"

struct remove_config {
	const char *id;
};

static const struct cli_option positionals[] = {
	{ .argument = "ID",
	  CLI_STRING(struct remove_config, id),
	  .required = true,
	  .help = "the kernel, as `ktstr kernel list` names it" },
};

static int run(const struct cli_invocation *invocation UNUSED, const void *config_)
{
	static struct kernel_screen screen;
	const struct remove_config *config = config_;
	_cleanup_error_ struct error *err = NULL;

	kernel_screen_init(&screen, false);
	err = kernel_cache_remove(config->id, &screen.watch);
	kernel_screen_finish(&screen);
	return err ? kernel_fail(err) : CLI_EXIT_OK;
}

const struct cli_command cmd_kernel_remove = {
	.name = "remove",
	.summary = "Remove a kernel from the cache",
	.usage = "ID",
	CLI_POSITIONALS(positionals),
	.config_size = sizeof(struct remove_config),
	.run = run,
};
