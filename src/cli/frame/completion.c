// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/frame/completion.h"

#include <ctype.h>

#include "base/alloc.h"

static void visit_below(const struct cli_command *command, const char *place,
			cli_completion_visit_fn *visit, void *arg)
{
	visit(command, place, arg);
	for (size_t i = 0; i < command->n_subcommands; i++) {
		_cleanup_free_ char *inner = xasprintf("%s/%s", place,
						       command->subcommands[i]->name);

		visit_below(command->subcommands[i], inner, visit, arg);
	}
}

void cli_completion_visit(const struct cli_command *program, cli_completion_visit_fn *visit,
			  void *arg)
{
	visit_below(program, program->name, visit, arg);
}

bool cli_completion_is_help(const struct cli_command *command)
{
	return command->n_positionals && command->positionals[0].complete == CLI_COMPLETE_COMMAND;
}

bool cli_completion_has_rest(const struct cli_command *command)
{
	return command->n_positionals &&
	       command->positionals[command->n_positionals - 1].type == CLI_TYPE_REST;
}

const struct cli_option *cli_completion_word_row(const struct cli_command *command)
{
	return command->n_positionals > cli_completion_has_rest(command) ? command->positionals
									 : NULL;
}

void cli_completion_append_identifier(const char *name, struct strbuf *into)
{
	for (; *name; name++)
		strbuf_append_char(into, isalnum((unsigned char)*name) ? *name : '_');
}

void cli_completion_append_quoted(const char *text, const char *quote, struct strbuf *into)
{
	strbuf_append_char(into, '\'');
	for (; *text; text++) {
		if (*text == '\'')
			strbuf_append(into, quote);
		else
			strbuf_append_char(into, *text);
	}
	strbuf_append_char(into, '\'');
}

static void append_steps(const struct cli_command *command, const char *place, void *arg)
{
	struct strbuf *into = arg;

	for (size_t i = 0; i < command->n_subcommands; i++) {
		const struct cli_command *inner = command->subcommands[i];

		if (cli_completion_is_help(inner))
			strbuf_appendf(into, "\t\t%s:%s) helping=1 ;;\n", place, inner->name);
		else
			strbuf_appendf(into, "\t\t%s:%s) at=%s/%s ;;\n", place, inner->name, place,
				       inner->name);
	}
	if (command->n_subcommands)
		strbuf_appendf(into, "\t\t%s:-*) ;;\n\t\t%s:*) at= ;;\n", place, place);
}

void cli_completion_append_walk(const struct cli_command *program, const char *stop,
				struct strbuf *into)
{
	/* Behind "--" stands something that we know nothing about. */
	strbuf_appendf(into, "\t\t*:--) %s ;;\n", stop);
	cli_completion_visit(program, append_steps, into);
}
