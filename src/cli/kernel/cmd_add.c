// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/kernel/commands.h"

#include "kernel/cache.h"

struct add_config {
	const char *path;
	bool force;
};

static const struct cli_option options[] = {
	{ .name = "force",
	  .letter = 'f',
	  CLI_FLAG(struct add_config, force),
	  .help = "replace a cached kernel of the same build, even one that has modules" },
};

static const struct cli_option positionals[] = {
	{ .argument = "PATH",
	  CLI_STRING(struct add_config, path),
	  .required = true,
	  .complete = CLI_COMPLETE_FILE,
	  .help = "a bzImage, a vmlinux, or a directory that contains one, such as a build tree" },
};

static int run(const struct cli_invocation *invocation UNUSED, const void *config_)
{
	static struct kernel_screen screen;
	const struct add_config *config = config_;
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	_cleanup_kernel_ struct kernel *kernel = NULL;
	_cleanup_error_ struct error *err = NULL;

	kernel_screen_init(&screen, false);
	err = kernel_add(config->path, config->force, &screen.watch, &kernel);
	kernel_screen_finish(&screen);
	if (err)
		return kernel_fail(err);
	kernel_say_notes(kernel);
	strbuf_appendf(&out, "%s\n", kernel->id);
	return cli_print(&out);
}

const struct cli_command cmd_kernel_add = {
	.name = "add",
	.summary = "Take a kernel of this machine into the cache",
	.usage = "[--force] PATH",
	.description =
		"The file is copied, decompressed and checked. The same build that is cached with its modules is kept as it is. Prints the kernel's id.",
	CLI_OPTIONS(options),
	CLI_POSITIONALS(positionals),
	.config_size = sizeof(struct add_config),
	.run = run,
};
