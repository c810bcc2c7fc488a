// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A bash completion script from the rows. It needs nothing but bash: one
 * function per program, which looks at the word before and the word being typed.
 */
#include "cli/command.h"

#include <ctype.h>

static void append_identifier(struct strbuf *into, const char *name)
{
	for (; *name; name++)
		strbuf_append_char(into, isalnum((unsigned char)*name) ? *name : '_');
}

static void append_row_words(struct strbuf *into, const struct option_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		strbuf_appendf(into, "--%s ", rows[i].name);
		if (rows[i].letter)
			strbuf_appendf(into, "-%c ", rows[i].letter);
	}
}

static void append_subcommand_words(struct strbuf *into, const struct command *program)
{
	strbuf_append(into, "COMPREPLY=($(compgen -W '");
	for (size_t i = 0; i < program->n_subcommands; i++)
		strbuf_appendf(into, "%s ", program->subcommands[i]->name);
	strbuf_append(into, "' -- \"$value\"))");
}

static void append_value_source(struct strbuf *into, const struct command *program,
				const struct option_row *row)
{
	if (row->choices) {
		strbuf_append(into, "COMPREPLY=($(compgen -W '");
		for (int i = 0; row->choices[i]; i++)
			strbuf_appendf(into, "%s ", row->choices[i]);
		strbuf_append(into, "' -- \"$value\"))");
		return;
	}
	switch (row->complete) {
	case OPTION_COMPLETE_FILE:
		strbuf_append(into, "compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "
				    "\"$value\")");
		return;
	case OPTION_COMPLETE_PID:
		strbuf_append(into, "COMPREPLY=($(cd /proc && "
				    "compgen -W \"$(compgen -G '[0-9]*')\" -- \"$value\"))");
		return;
	case OPTION_COMPLETE_COMMAND:
		append_subcommand_words(into, program);
		return;
	case OPTION_COMPLETE_NOTHING:
		strbuf_append(into, ":");
	}
}

static void append_compgen_options(struct strbuf *into, const struct command *command)
{
	strbuf_append(into, "COMPREPLY=($(compgen -W '");
	append_row_words(into, command->options, command->n_options);
	append_row_words(into, option_common_rows, ARRAY_SIZE(option_common_rows));
	strbuf_append(into, "' -- \"$value\"))");
}

/* Branches of one command: the value of an option, else its words. */
static void append_command(struct strbuf *into, const struct command *program,
			   const struct command *command, const char *indent)
{
	bool has_rest = command->n_positionals &&
			command->positionals[command->n_positionals - 1].type == OPTION_TYPE_REST;
	size_t n_words = command->n_positionals - has_rest;

	/* Behind "--" stands something that we know nothing about. */
	if (has_rest)
		strbuf_appendf(into,
			       "%sfor ((i = 1; i < COMP_CWORD; i++)); do "
			       "[[ ${COMP_WORDS[i]} == -- ]] && return; done\n",
			       indent);
	for (size_t i = 0; i < command->n_options; i++) {
		if (!command->options[i].argument)
			continue;
		strbuf_appendf(into, "%sif [[ $option == --%s", indent, command->options[i].name);
		if (command->options[i].letter)
			strbuf_appendf(into, " || $option == -%c", command->options[i].letter);
		strbuf_append(into, " ]]; then ");
		append_value_source(into, program, &command->options[i]);
		strbuf_append(into, "; return; fi\n");
	}
	strbuf_append(into, indent);
	if (n_words || command->n_subcommands) {
		strbuf_append(into, "if [[ $value == -* ]]; then ");
		append_compgen_options(into, command);
		strbuf_append(into, "; return; fi\n");
		strbuf_append(into, indent);
	}
	if (n_words)
		append_value_source(into, program, &command->positionals[0]);
	else if (command->n_subcommands)
		append_subcommand_words(into, command);
	else
		append_compgen_options(into, command);
	strbuf_append_char(into, '\n');
}

void command_format_bash_completion(const struct command *program, struct strbuf *into)
{
	strbuf_appendf(into, "# bash completion for %s %s, generated from its option table\n",
		       program->name, KTSTR_VERSION);
	strbuf_append(into, "_complete_");
	append_identifier(into, program->name);
	strbuf_append(into, "()\n{\n"
			    "\tlocal value=${COMP_WORDS[COMP_CWORD]} option= command= i\n"
			    "\tCOMPREPLY=()\n"
			    "\t((COMP_CWORD > 0)) && option=${COMP_WORDS[COMP_CWORD-1]}\n"
			    /* bash splits --name=value into three words. */
			    "\tif [[ $option == = ]]; then option=${COMP_WORDS[COMP_CWORD-2]}\n"
			    "\telif [[ $value == = ]]; then value=; fi\n");
	if (program->n_subcommands) {
		strbuf_append(into, "\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
				    "\t\tif [[ ${COMP_WORDS[i]} != -* ]]; then "
				    "command=${COMP_WORDS[i]}; break; fi\n"
				    "\tdone\n"
				    "\tcase $command in\n");
		for (size_t i = 0; i < program->n_subcommands; i++) {
			strbuf_appendf(into, "\t%s)\n", program->subcommands[i]->name);
			append_command(into, program, program->subcommands[i], "\t\t");
			strbuf_append(into, "\t\treturn ;;\n");
		}
		strbuf_append(into, "\t'') ;;\n\t*) return ;;\n\tesac\n");
	}
	append_command(into, program, program, "\t");
	strbuf_append(into, "}\ncomplete -F _complete_");
	append_identifier(into, program->name);
	strbuf_appendf(into, " %s\n", program->name);
}
