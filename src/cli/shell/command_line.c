// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/shell/shell.h"

#include <stdlib.h>

#include "base/alloc.h"

static void list_env(struct command_line *line)
{
	size_t n = 0;

	if (line->term)
		line->env[n++] = line->term;
	if (line->prompt)
		line->env[n++] = line->prompt;
	line->env[n] = NULL;
}

void command_line_init(struct command_line *line, const struct shell_config *config,
		       bool stdin_is_terminal, const char *term)
{
	*line = (struct command_line){ .own = { "sh" } };
	line->argv = config->argv ? config->argv : line->own;
	if (config->exec) {
		line->own[1] = "-c";
		line->own[2] = config->exec;
	}
	line->pty = !config->exec && !config->argv && stdin_is_terminal;
	if (line->pty && term && term[0])
		line->term = xasprintf("TERM=%s", term);
	list_env(line);
}

void command_line_set_prompt(struct command_line *line, const char *version,
			     const struct topo *topology)
{
	_cleanup_strbuf_ struct strbuf prompt = STRBUF_INIT;

	if (!line->pty)
		return;
	strbuf_appendf(&prompt, "PS1=ktstr %s ", version);
	topo_format_shape(topology, &prompt);
	strbuf_append(&prompt, ":\\w\\$ ");
	free(line->prompt);
	line->prompt = strbuf_take(&prompt);
	list_env(line);
}

void command_line_deinit(struct command_line *line)
{
	free(line->term);
	free(line->prompt);
	*line = (struct command_line){ 0 };
}
