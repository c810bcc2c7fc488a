// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/frame/commands.h"

static int run(const struct invocation *invocation, const void *config UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	command_format_version(invocation->program, &text);
	return command_print(&text);
}

const struct cli_command cmd_version = {
	.name = "version",
	.summary = "Print name and version",
	.run = run,
};
