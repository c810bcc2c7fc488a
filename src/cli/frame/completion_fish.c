// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines for fish's complete, from the rows. */
#include "cli/frame/completion.h"

#include "base/alloc.h"

#define QUOTE "\\'"

struct fish {
	const char *program;
	struct strbuf function; /* its name; it prints the place of the cursor */
	struct strbuf *into;
};

static void append_steps(const struct cli_command *command, const char *place, void *arg)
{
	struct strbuf *into = arg;

	for (size_t i = 0; i < command->n_subcommands; i++) {
		const struct cli_command *inner = command->subcommands[i];

		strbuf_appendf(into, "\t\tcase '%s:%s'\n\t\t\t", place, inner->name);
		if (cli_completion_is_help(inner))
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
	cli_completion_append_quoted(help, QUOTE, into);
	strbuf_append_char(into, '\n');
}

static void append_value(const struct cli_option *row, struct strbuf *into)
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

static void append_rows(const struct fish *fish, const char *place, const struct cli_option *rows,
			size_t n)
{
	for (size_t i = 0; i < n; i++) {
		begin_line(fish, place);
		strbuf_appendf(fish->into, " -l %s", rows[i].name);
		if (rows[i].letter)
			strbuf_appendf(fish->into, " -s %c", rows[i].letter);
		if (rows[i].argument)
			append_value(&rows[i], fish->into);
		end_line(rows[i].help, fish->into);
	}
}

static void append_command(const struct cli_command *command, const char *place, void *arg)
{
	const struct cli_option *word = cli_completion_word_row(command);
	const struct fish *fish = arg;
	_cleanup_free_ char *places = xasprintf("%s help:%s", place, place);

	for (size_t i = 0; i < command->n_subcommands; i++) {
		begin_line(fish, places);
		strbuf_appendf(fish->into, " -a %s", command->subcommands[i]->name);
		end_line(command->subcommands[i]->summary, fish->into);
	}
	append_rows(fish, place, command->options, command->n_options);
	append_rows(fish, place, cli_common_options, ARRAY_SIZE(cli_common_options));
	if (word && (word->choices || word->complete == CLI_COMPLETE_FILE ||
		     word->complete == CLI_COMPLETE_PID)) {
		begin_line(fish, place);
		append_value(word, fish->into);
		end_line(word->help, fish->into);
	}
}

void cli_format_fish_completion(const struct cli_command *program, struct strbuf *into)
{
	struct fish fish = { .program = program->name, .function = STRBUF_INIT, .into = into };

	strbuf_append(&fish.function, "__complete_");
	cli_completion_append_identifier(program->name, &fish.function);
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
	cli_completion_visit(program, append_steps, into);
	strbuf_appendf(into, "\t\tend\n\tend\n\techo $helping$at\nend\ncomplete -c %s -f\n",
		       program->name);
	cli_completion_visit(program, append_command, &fish);
	strbuf_deinit(&fish.function);
}
