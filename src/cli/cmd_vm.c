// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/commands.h"

#include <unistd.h>

#include "base/clock.h"
#include "cli/vm/list.h"
#include "text/terminal.h"

struct list_config {
	bool json;
};

static const struct option_row list_options[] = {
	{ .name = "json",
	  OPTION_FLAG(struct list_config, json),
	  .help = "print everything that is known as JSON" },
};

static const struct exit_row exits[] = {
	{ EXIT_OK, "done, also when no VM is running" },
	{ EXIT_FAILED, "the run folder could not be read" },
	{ EXIT_USAGE, "the command line is wrong" },
};

static int run_list(const struct invocation *invocation UNUSED, const void *config_)
{
	const struct list_config *config = config_;
	struct table_look look = { .columns = terminal_columns(STDOUT_FILENO),
				   .colour = terminal_has_colour(STDOUT_FILENO) };
	_cleanup_run_list_ struct run_list list = { 0 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_error_ struct error *err = run_list_read(&list);

	if (err) {
		command_print_error(error_message(err));
		return EXIT_FAILED;
	}
	if (config->json)
		vm_list_format_json(&list, clock_unix_sec(), &text);
	else
		vm_list_format_table(&list, clock_unix_sec(), &look, &text);
	return command_print(&text);
}

const struct command cmd_vm_list = {
	.name = "list",
	.summary = "List the VMs that run now",
	.usage = "[--json]",
	.description =
		"Shows the VMs of this user, the oldest first. What an owner that was killed left behind is removed by looking.",
	.options = list_options,
	.n_options = ARRAY_SIZE(list_options),
	.exits = exits,
	.n_exits = ARRAY_SIZE(exits),
	.config_size = sizeof(struct list_config),
	.run = run_list,
};

static const struct command *const subcommands[] = { &cmd_vm_list };

const struct command cmd_vm = {
	.name = "vm",
	.summary = "Look at running VMs",
	.usage = "COMMAND [options]",
	.subcommands = subcommands,
	.n_subcommands = ARRAY_SIZE(subcommands),
};
