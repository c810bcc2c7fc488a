/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the completions of all shells share. A command is known by its place, "ktstr/kernel/fetch":
 * the script walks the words in front of the cursor and so finds where it is.
 */
#ifndef KTSTR_CLI_FRAME_COMPLETION_H
#define KTSTR_CLI_FRAME_COMPLETION_H

#include "cli/frame/command.h"

typedef void cli_completion_visit_fn(const struct cli_command *command, const char *place,
				     void *arg);

/* The program and all commands below it, parents first. */
void cli_completion_visit(const struct cli_command *program, cli_completion_visit_fn *visit,
			  void *arg);
/* Takes the name of another command: its words are walked as if they stood in its place. */
bool cli_completion_is_help(const struct cli_command *command);
/* The last argument is whatever follows "--". */
bool cli_completion_has_rest(const struct cli_command *command);
/* The row that says what a word may be; NULL when none is expected. */
const struct cli_option *cli_completion_word_row(const struct cli_command *command);
/* A name as part of a function's name. */
void cli_completion_append_identifier(const char *name, struct strbuf *into);
/* In single quotes; `quote` is how the shell writes one inside of them. */
void cli_completion_append_quoted(const char *text, const char *quote, struct strbuf *into);
/*
 * Branches of a `case` over "$at:$word", for bash and zsh: $at follows the word, $helping is set
 * behind the command help, `stop` is run at a word that is no command.
 */
void cli_completion_append_walk(const struct cli_command *program, const char *stop,
				struct strbuf *into);

#endif
