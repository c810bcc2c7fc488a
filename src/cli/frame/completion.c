// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Completions for the shells, from the rows. A command is known by its place, "ktstr/kernel/fetch":
 * the script walks the words in front of the cursor and so finds where it is. bash and zsh get one
 * function per program and nothing else; fish gets lines for its `complete`.
 */
#include "cli/frame/command.h"

#include <ctype.h>

#include "base/alloc.h"

typedef void visit_fn(const struct cli_command *command, const char *place, void *arg);

/* The command and all below it, parents first. */
static void visit(const struct cli_command *command, const char *place, visit_fn *each, void *arg)
{
	each(command, place, arg);
	for (size_t i = 0; i < command->n_subcommands; i++) {
		_cleanup_free_ char *inner = xasprintf("%s/%s", place,
						       command->subcommands[i]->name);

		visit(command->subcommands[i], inner, each, arg);
	}
}

/* Takes the name of another command: its words are walked as if they stood in its place. */
static bool is_help(const struct cli_command *command)
{
	return command->n_positionals && command->positionals[0].complete == CLI_COMPLETE_COMMAND;
}

/* The row that says what a word may be; NULL when none is expected before "--". */
static const struct cli_option *word_row(const struct cli_command *command)
{
	return command->n_positionals && command->positionals[0].type != CLI_TYPE_REST
		       ? command->positionals
		       : NULL;
}

/* A name as part of a function's name. */
static void append_identifier(struct strbuf *into, const char *name)
{
	for (; *name; name++)
		strbuf_append_char(into, isalnum((unsigned char)*name) ? *name : '_');
}

/* In single quotes; `quote` is how the shell writes one inside of them. */
static void append_quoted(struct strbuf *into, const char *text, const char *quote)
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

/* What is different in bash and zsh. */
struct dialect {
	const char *is_helping, *typed; /* conditions of [[ ]] */
	const char *choices_begin, *choice_before, *choice_after, *choices_end;
	const char *complete[4]; /* by enum cli_complete; a command's words are walked */
	const char *list_begin, *options_end, *commands_end;
	void (*append_item)(struct strbuf *into, const char *name, const char *help);
};

struct script {
	const struct dialect *dialect;
	struct strbuf *into;
};

static void append_value(const struct script *script, const struct cli_option *row)
{
	const struct dialect *d = script->dialect;

	if (!row->choices) {
		strbuf_append(script->into, d->complete[row->complete]);
		return;
	}
	strbuf_append(script->into, d->choices_begin);
	for (int i = 0; row->choices[i]; i++)
		strbuf_appendf(script->into, "%s%s%s", d->choice_before, row->choices[i],
			       d->choice_after);
	strbuf_append(script->into, d->choices_end);
}

static void append_items(const struct script *script, const struct cli_option *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		_cleanup_free_ char *name = xasprintf("--%s", rows[i].name);
		const char letter[] = { '-', rows[i].letter, 0 };

		script->dialect->append_item(script->into, name, rows[i].help);
		if (rows[i].letter)
			script->dialect->append_item(script->into, letter, rows[i].help);
	}
}

static void append_options(const struct script *script, const struct cli_command *command)
{
	strbuf_append(script->into, script->dialect->list_begin);
	append_items(script, command->options, command->n_options);
	append_items(script, cli_common_options, ARRAY_SIZE(cli_common_options));
	strbuf_append(script->into, script->dialect->options_end);
}

static void append_subcommands(const struct script *script, const struct cli_command *command)
{
	strbuf_append(script->into, script->dialect->list_begin);
	for (size_t i = 0; i < command->n_subcommands; i++)
		script->dialect->append_item(script->into, command->subcommands[i]->name,
					     command->subcommands[i]->summary);
	strbuf_append(script->into, script->dialect->commands_end);
}

/* One command: the value of an option, else its words. */
static void append_command(const struct cli_command *command, const char *place, void *arg)
{
	const struct cli_option *word = word_row(command);
	const struct script *script = arg;
	struct strbuf *into = script->into;

	strbuf_appendf(into, "\t%s)\n", place);
	if (!command->n_subcommands)
		strbuf_appendf(into, "\t\t[[ %s ]] && return\n", script->dialect->is_helping);
	for (size_t i = 0; i < command->n_options; i++) {
		const struct cli_option *row = &command->options[i];

		if (!row->argument)
			continue;
		strbuf_appendf(into, "\t\tif [[ $option == --%s", row->name);
		if (row->letter)
			strbuf_appendf(into, " || $option == -%c", row->letter);
		strbuf_append(into, " ]]; then ");
		append_value(script, row);
		strbuf_append(into, "; return; fi\n");
	}
	strbuf_append(into, "\t\t");
	if (word || command->n_subcommands) {
		strbuf_appendf(into, "if [[ %s == -* ]]; then ", script->dialect->typed);
		append_options(script, command);
		strbuf_append(into, "; return; fi\n\t\t");
	}
	if (word)
		append_value(script, word);
	else if (command->n_subcommands)
		append_subcommands(script, command);
	else
		append_options(script, command);
	strbuf_append(into, " ;;\n");
}

/* Branches of a `case` over "$at:$word": $at follows the word, $helping is set behind help. */
static void append_steps(const struct cli_command *command, const char *place, void *arg)
{
	struct strbuf *into = arg;

	for (size_t i = 0; i < command->n_subcommands; i++) {
		const struct cli_command *inner = command->subcommands[i];

		if (is_help(inner))
			strbuf_appendf(into, "\t\t%s:%s) helping=1 ;;\n", place, inner->name);
		else
			strbuf_appendf(into, "\t\t%s:%s) at=%s/%s ;;\n", place, inner->name, place,
				       inner->name);
	}
	if (command->n_subcommands)
		strbuf_appendf(into, "\t\t%s:-*) ;;\n\t\t%s:*) at= ;;\n", place, place);
}

static void append_walk(const struct cli_command *program, struct strbuf *into)
{
	/* Behind "--" stands something that we know nothing about. */
	strbuf_append(into, "\t\t*:--) return ;;\n");
	visit(program, program->name, append_steps, into);
	strbuf_append(into, "\t\tesac\n\tdone\n");
}

#define BASH_WORDS     "COMPREPLY=($(compgen -W '"
#define BASH_WORDS_END "' -- \"$value\"))"

static void append_bash_item(struct strbuf *into, const char *name, const char *help UNUSED)
{
	strbuf_appendf(into, "%s ", name);
}

static const struct dialect bash = {
	.is_helping = "$helping",
	.typed = "$value",
	.choices_begin = BASH_WORDS,
	.choice_before = "",
	.choice_after = " ",
	.choices_end = BASH_WORDS_END,
	.complete = { [CLI_COMPLETE_NOTHING] = ":",
		      [CLI_COMPLETE_FILE] =
			      "compopt -o filenames; mapfile -t COMPREPLY < <(compgen "
			      "-f -- \"$value\")",
		      [CLI_COMPLETE_PID] = "COMPREPLY=($(cd /proc && "
					   "compgen -W \"$(compgen -G '[0-9]*')\" -- \"$value\"))",
		      [CLI_COMPLETE_COMMAND] = ":" },
	.list_begin = BASH_WORDS,
	.options_end = BASH_WORDS_END,
	.commands_end = BASH_WORDS_END,
	.append_item = append_bash_item,
};

void cli_format_bash_completion(const struct cli_command *program, struct strbuf *into)
{
	struct script script = { &bash, into };

	strbuf_appendf(into, "# bash completion for %s %s, generated from its option table\n",
		       program->name, KTSTR_VERSION);
	strbuf_append(into, "_complete_");
	append_identifier(into, program->name);
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
	append_walk(program, into);
	strbuf_append(into, "\tcase $at in\n");
	visit(program, program->name, append_command, &script);
	strbuf_append(into, "\tesac\n}\ncomplete -F _complete_");
	append_identifier(into, program->name);
	strbuf_appendf(into, " %s\n", program->name);
}

/* One of a list for _describe: 'name:what it is'. */
static void append_zsh_item(struct strbuf *into, const char *name, const char *help)
{
	_cleanup_free_ char *item = xasprintf("%s:%s", name, help);

	append_quoted(into, item, "'\\''");
	strbuf_append_char(into, ' ');
}

static const struct dialect zsh = {
	.is_helping = "-n $helping",
	.typed = "$PREFIX",
	.choices_begin = "compadd --",
	.choice_before = " ",
	.choice_after = "",
	.choices_end = "",
	.complete = { [CLI_COMPLETE_NOTHING] = ":",
		      [CLI_COMPLETE_FILE] = "_files",
		      [CLI_COMPLETE_PID] = "compadd -- /proc/[0-9]*(N:t)",
		      [CLI_COMPLETE_COMMAND] = ":" },
	.list_begin = "list=(",
	.options_end = "); _describe -o option list",
	.commands_end = "); _describe command list",
	.append_item = append_zsh_item,
};

void cli_format_zsh_completion(const struct cli_command *program, struct strbuf *into)
{
	struct script script = { &zsh, into };

	strbuf_appendf(
		into, "#compdef %s\n# zsh completion for %s %s, generated from its option table\n_",
		program->name, program->name, KTSTR_VERSION);
	append_identifier(into, program->name);
	strbuf_appendf(into,
		       "()\n{\n"
		       "\tlocal at=%s helping= option= i\n"
		       "\tlocal -a list\n"
		       "\tfor ((i = 2; i < CURRENT; i++)); do\n"
		       "\t\tcase ${at}:${words[i]} in\n",
		       program->name);
	append_walk(program, into);
	strbuf_append(into, "\toption=${words[CURRENT-1]}\n"
			    "\tif [[ $PREFIX == --*=* ]]; then option=${PREFIX%%=*}; "
			    "compset -P '*='; fi\n"
			    "\tcase $at in\n");
	visit(program, program->name, append_command, &script);
	strbuf_append(into, "\tesac\n}\n_");
	append_identifier(into, program->name);
	strbuf_append(into, " \"$@\"\n");
}

struct fish {
	const char *program;
	struct strbuf function; /* its name; it prints the place of the cursor */
	struct strbuf *into;
};

static void append_fish_steps(const struct cli_command *command, const char *place, void *arg)
{
	struct strbuf *into = arg;

	for (size_t i = 0; i < command->n_subcommands; i++) {
		const struct cli_command *inner = command->subcommands[i];

		strbuf_appendf(into, "\t\tcase '%s:%s'\n\t\t\t", place, inner->name);
		if (is_help(inner))
			strbuf_append(into, "set helping help:\n");
		else
			strbuf_appendf(into, "set at %s/%s\n", place, inner->name);
	}
	if (command->n_subcommands)
		strbuf_appendf(into, "\t\tcase '%s:-*'\n\t\tcase '%s:*'\n\t\t\tset at nowhere\n",
			       place, place);
}

/* complete -c PROGRAM -n 'we are there' */
static void begin_line(const struct fish *fish, const char *places)
{
	strbuf_appendf(fish->into, "complete -c %s -n 'contains (%s) %s'", fish->program,
		       strbuf_str(&fish->function), places);
}

static void end_line(const char *help, struct strbuf *into)
{
	strbuf_append(into, " -d ");
	append_quoted(into, help, "\\'");
	strbuf_append_char(into, '\n');
}

static void append_fish_value(const struct cli_option *row, struct strbuf *into)
{
	if (row->choices) {
		strbuf_append(into, " -x -a '");
		for (int i = 0; row->choices[i]; i++)
			strbuf_appendf(into, "%s%s", i ? " " : "", row->choices[i]);
		strbuf_append_char(into, '\'');
	} else if (row->complete == CLI_COMPLETE_FILE) {
		strbuf_append(into, row->name ? " -r -F" : " -F");
	} else if (row->complete == CLI_COMPLETE_PID) {
		strbuf_append(into, " -x -a '(__fish_complete_pids)'");
	} else if (row->name) {
		strbuf_append(into, " -x");
	}
}

static void append_fish_rows(const struct fish *fish, const char *place,
			     const struct cli_option *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		begin_line(fish, place);
		strbuf_appendf(fish->into, " -l %s", rows[i].name);
		if (rows[i].letter)
			strbuf_appendf(fish->into, " -s %c", rows[i].letter);
		if (rows[i].argument)
			append_fish_value(&rows[i], fish->into);
		end_line(rows[i].help, fish->into);
	}
}

static void append_fish_command(const struct cli_command *command, const char *place, void *arg)
{
	const struct cli_option *word = word_row(command);
	const struct fish *fish = arg;
	_cleanup_free_ char *places = xasprintf("%s help:%s", place, place);

	for (size_t i = 0; i < command->n_subcommands; i++) {
		begin_line(fish, places);
		strbuf_appendf(fish->into, " -a %s", command->subcommands[i]->name);
		end_line(command->subcommands[i]->summary, fish->into);
	}
	append_fish_rows(fish, place, command->options, command->n_options);
	append_fish_rows(fish, place, cli_common_options, ARRAY_SIZE(cli_common_options));
	if (word && (word->choices || word->complete == CLI_COMPLETE_FILE ||
		     word->complete == CLI_COMPLETE_PID)) {
		begin_line(fish, place);
		append_fish_value(word, fish->into);
		end_line(word->help, fish->into);
	}
}

void cli_format_fish_completion(const struct cli_command *program, struct strbuf *into)
{
	struct fish fish = { .program = program->name, .function = STRBUF_INIT, .into = into };

	strbuf_append(&fish.function, "__complete_");
	append_identifier(&fish.function, program->name);
	strbuf_appendf(into, "# fish completion for %s %s, generated from its option table\n",
		       program->name, KTSTR_VERSION);
	strbuf_appendf(into,
		       "function %s\n"
		       "\tset -l at %s\n"
		       "\tset -l helping ''\n"
		       "\tfor word in (commandline -opc)[2..-1]\n"
		       "\t\tswitch \"$at:$word\"\n"
		       /* Behind "--" stands something that we know nothing about. */
		       "\t\tcase '*:--'\n\t\t\tset at nowhere\n",
		       strbuf_str(&fish.function), program->name);
	visit(program, program->name, append_fish_steps, into);
	strbuf_appendf(into, "\t\tend\n\tend\n\techo $helping$at\nend\ncomplete -c %s -f\n",
		       program->name);
	visit(program, program->name, append_fish_command, &fish);
	strbuf_deinit(&fish.function);
}
