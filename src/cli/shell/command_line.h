/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is run in the guest: the vector, the environment, the prompt. */
#ifndef KTSTR_CLI_SHELL_COMMAND_LINE_H
#define KTSTR_CLI_SHELL_COMMAND_LINE_H

#include "cli/shell/config.h"

enum {
	COMMAND_LINE_ARGV_LIMIT = 4,
	COMMAND_LINE_ENV_LIMIT = 3,
};

struct command_line {
	const char *own[COMMAND_LINE_ARGV_LIMIT];
	const char *const *argv; /* NULL-terminated; borrowed */
	bool pty;
	char *term, *prompt;
	const char *env[COMMAND_LINE_ENV_LIMIT]; /* NULL-terminated */
};

/*
 * Without a command it is a shell: in a terminal if standard input is one, else it reads
 * commands from there. `term` is the host's TERM and may be NULL.
 */
void command_line_init(struct command_line *line, const struct shell_config *config,
		       bool stdin_is_terminal, const char *term);
/* PS1 tells in which machine one is. */
void command_line_set_prompt(struct command_line *line, const char *version,
			     const struct topology *topology);
void command_line_deinit(struct command_line *line);
#define _cleanup_command_line_ __attribute__((cleanup(command_line_deinit)))

#endif
