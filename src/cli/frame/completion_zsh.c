// SPDX-License-Identifier: GPL-2.0-or-later
/* A function for zsh's completion system, from the rows. */
#include "cli/frame/completion.h"

#define QUOTE "'\\''"

/* One of a list for _describe: 'name:what it is'. */
static void append_item(const char *name, const char *help, struct strbuf *into)
{
	_cleanup_strbuf_ struct strbuf item = STRBUF_INIT;

	strbuf_appendf(&item, "%s:%s", name, help);
	cli_completion_append_quoted(strbuf_str(&item), QUOTE, into);
	strbuf_append_char(into, ' ');
}

static void append_rows(const struct cli_option *rows, size_t n, struct strbuf *into)
{
	for (size_t i = 0; i < n; i++) {
		char name[64];

		snprintf(name, sizeof(name), "--%s", rows[i].name);
		append_item(name, rows[i].help, into);
		if (rows[i].letter) {
			snprintf(name, sizeof(name), "-%c", rows[i].letter);
			append_item(name, rows[i].help, into);
		}
	}
}

static void append_options(const struct cli_command *command, struct strbuf *into)
{
	strbuf_append(into, "list=(");
	append_rows(command->options, command->n_options, into);
	append_rows(cli_common_options, ARRAY_SIZE(cli_common_options), into);
	strbuf_append(into, "); _describe -o option list");
}

static void append_value(const struct cli_option *row, struct strbuf *into)
{
	if (row->choices) {
		strbuf_append(into, "compadd --");
		for (int i = 0; row->choices[i]; i++)
			strbuf_appendf(into, " %s", row->choices[i]);
		return;
	}
	switch (row->complete) {
	case CLI_COMPLETE_FILE:
		strbuf_append(into, "_files");
		return;
	case CLI_COMPLETE_PID:
		strbuf_append(into, "compadd -- /proc/[0-9]*(N:t)");
		return;
	case CLI_COMPLETE_COMMAND: /* its words are walked, see completion.h */
	case CLI_COMPLETE_NOTHING:
		strbuf_append(into, ":");
	}
}

static void append_command(const struct cli_command *command, const char *place, void *arg)
{
	const struct cli_option *word = cli_completion_word_row(command);
	struct strbuf *into = arg;

	strbuf_appendf(into, "\t%s)\n", place);
	if (!command->n_subcommands)
		strbuf_append(into, "\t\t[[ -n $helping ]] && return\n");
	for (size_t i = 0; i < command->n_options; i++) {
		const struct cli_option *row = &command->options[i];

		if (!row->argument)
			continue;
		strbuf_appendf(into, "\t\tif [[ $option == --%s", row->name);
		if (row->letter)
			strbuf_appendf(into, " || $option == -%c", row->letter);
		strbuf_append(into, " ]]; then ");
		append_value(row, into);
		strbuf_append(into, "; return; fi\n");
	}
	if (word || command->n_subcommands) {
		strbuf_append(into, "\t\tif [[ $PREFIX == -* ]]; then ");
		append_options(command, into);
		strbuf_append(into, "; return; fi\n");
	}
	strbuf_append(into, "\t\t");
	if (word) {
		append_value(word, into);
	} else if (command->n_subcommands) {
		strbuf_append(into, "list=(");
		for (size_t i = 0; i < command->n_subcommands; i++)
			append_item(command->subcommands[i]->name, command->subcommands[i]->summary,
				    into);
		strbuf_append(into, "); _describe command list");
	} else {
		append_options(command, into);
	}
	strbuf_append(into, " ;;\n");
}

void cli_format_zsh_completion(const struct cli_command *program, struct strbuf *into)
{
	strbuf_appendf(
		into, "#compdef %s\n# zsh completion for %s %s, generated from its option table\n_",
		program->name, program->name, KTSTR_VERSION);
	cli_completion_append_identifier(program->name, into);
	strbuf_appendf(into,
		       "()\n{\n"
		       "\tlocal at=%s helping= option= i\n"
		       "\tlocal -a list\n"
		       "\tfor ((i = 2; i < CURRENT; i++)); do\n"
		       "\t\tcase ${at}:${words[i]} in\n",
		       program->name);
	cli_completion_append_walk(program, "return", into);
	strbuf_append(into, "\t\tesac\n\tdone\n"
			    "\toption=${words[CURRENT-1]}\n"
			    "\tif [[ $PREFIX == --*=* ]]; then option=${PREFIX%%=*}; "
			    "compset -P '*='; fi\n"
			    "\tcase $at in\n");
	cli_completion_visit(program, append_command, into);
	strbuf_append(into, "\tesac\n}\n_");
	cli_completion_append_identifier(program->name, into);
	strbuf_append(into, " \"$@\"\n");
}
