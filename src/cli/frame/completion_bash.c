// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A bash completion script from the rows. It needs nothing but bash: one
 * function per program, which looks at the words before and the word being typed.
 */
#include "cli/frame/completion.h"

static void append_row_words(struct strbuf *into, const struct cli_option *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		strbuf_appendf(into, "--%s ", rows[i].name);
		if (rows[i].letter)
			strbuf_appendf(into, "-%c ", rows[i].letter);
	}
}

static void append_subcommand_words(struct strbuf *into, const struct cli_command *program)
{
	strbuf_append(into, "COMPREPLY=($(compgen -W '");
	for (size_t i = 0; i < program->n_subcommands; i++)
		strbuf_appendf(into, "%s ", program->subcommands[i]->name);
	strbuf_append(into, "' -- \"$value\"))");
}

static void append_value_source(struct strbuf *into, const struct cli_option *row)
{
	if (row->choices) {
		strbuf_append(into, "COMPREPLY=($(compgen -W '");
		for (int i = 0; row->choices[i]; i++)
			strbuf_appendf(into, "%s ", row->choices[i]);
		strbuf_append(into, "' -- \"$value\"))");
		return;
	}
	switch (row->complete) {
	case CLI_COMPLETE_FILE:
		strbuf_append(into, "compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "
				    "\"$value\")");
		return;
	case CLI_COMPLETE_PID:
		strbuf_append(into, "COMPREPLY=($(cd /proc && "
				    "compgen -W \"$(compgen -G '[0-9]*')\" -- \"$value\"))");
		return;
	case CLI_COMPLETE_COMMAND: /* its words are walked, see completion.h */
	case CLI_COMPLETE_NOTHING:
		strbuf_append(into, ":");
	}
}

static void append_compgen_options(struct strbuf *into, const struct cli_command *command)
{
	strbuf_append(into, "COMPREPLY=($(compgen -W '");
	append_row_words(into, command->options, command->n_options);
	append_row_words(into, cli_common_options, ARRAY_SIZE(cli_common_options));
	strbuf_append(into, "' -- \"$value\"))");
}

/* One command: the value of an option, else its words. */
static void append_command(const struct cli_command *command, const char *place, void *arg)
{
	const struct cli_option *word = cli_completion_word_row(command);
	struct strbuf *into = arg;

	strbuf_appendf(into, "\t%s)\n", place);
	if (!command->n_subcommands)
		strbuf_append(into, "\t\t[[ $helping ]] && return\n");
	for (size_t i = 0; i < command->n_options; i++) {
		if (!command->options[i].argument)
			continue;
		strbuf_appendf(into, "\t\tif [[ $option == --%s", command->options[i].name);
		if (command->options[i].letter)
			strbuf_appendf(into, " || $option == -%c", command->options[i].letter);
		strbuf_append(into, " ]]; then ");
		append_value_source(into, &command->options[i]);
		strbuf_append(into, "; return; fi\n");
	}
	strbuf_append(into, "\t\t");
	if (word || command->n_subcommands) {
		strbuf_append(into, "if [[ $value == -* ]]; then ");
		append_compgen_options(into, command);
		strbuf_append(into, "; return; fi\n\t\t");
	}
	if (word)
		append_value_source(into, word);
	else if (command->n_subcommands)
		append_subcommand_words(into, command);
	else
		append_compgen_options(into, command);
	strbuf_append(into, " ;;\n");
}

void cli_format_bash_completion(const struct cli_command *program, struct strbuf *into)
{
	strbuf_appendf(into, "# bash completion for %s %s, generated from its option table\n",
		       program->name, KTSTR_VERSION);
	strbuf_append(into, "_complete_");
	cli_completion_append_identifier(program->name, into);
	strbuf_appendf(into,
		       "()\n{\n"
		       "\tlocal value=${COMP_WORDS[COMP_CWORD]} option= at=%s helping= i\n"
		       "\tCOMPREPLY=()\n"
		       "\t((COMP_CWORD > 0)) && option=${COMP_WORDS[COMP_CWORD-1]}\n"
		       /* bash splits --name=value into three words. */
		       "\tif [[ $option == = ]]; then option=${COMP_WORDS[COMP_CWORD-2]}\n"
		       "\telif [[ $value == = ]]; then value=; fi\n"
		       "\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
		       "\t\tcase $at:${COMP_WORDS[i]} in\n",
		       program->name);
	cli_completion_append_walk(program, "return", into);
	strbuf_append(into, "\t\tesac\n\tdone\n\tcase $at in\n");
	cli_completion_visit(program, append_command, into);
	strbuf_append(into, "\tesac\n}\ncomplete -F _complete_");
	cli_completion_append_identifier(program->name, into);
	strbuf_appendf(into, " %s\n", program->name);
}
