// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/frame/commands.h"

static int run(const struct cli_invocation *invocation, const void *config UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	cli_format_version(invocation->program, &text);
	return cli_print(&text);
}

const struct cli_command cli_cmd_version = {
	.name = "version",
	.summary = "Print name and version",
	.run = run,
};
