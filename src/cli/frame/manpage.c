// SPDX-License-Identifier: GPL-2.0-or-later
/* Sections of a man page in scdoc's language, from the same rows as --help. */
#include "cli/frame/command.h"

#include <ctype.h>
#include <string.h>

/* Characters that scdoc would take for markup. */
static void append_plain(struct strbuf *into, const char *text)
{
	for (; *text; text++) {
		if (strchr("\\_*#<>~", *text))
			strbuf_append_char(into, '\\');
		strbuf_append_char(into, *text);
	}
}

/* Help begins small, as it stands in a list; a man page has sentences. */
static void append_sentence(struct strbuf *into, const char *text)
{
	char first[] = { (char)toupper((unsigned char)text[0]), '\0' };

	append_plain(into, first);
	append_plain(into, text + 1);
	strbuf_append(into, ".\n\n");
}

static void format_row(const struct cli_command *command, const struct cli_option *row,
		       struct strbuf *into)
{
	_cleanup_strbuf_ struct strbuf help = STRBUF_INIT;

	if (row->letter)
		strbuf_appendf(into, "*-%c*, ", row->letter);
	if (row->name) {
		strbuf_append(into, "*--");
		append_plain(into, row->name);
		strbuf_append_char(into, '*');
	}
	if (row->type == CLI_TYPE_REST)
		strbuf_append(into, "*--* ");
	if (row->argument)
		strbuf_appendf(into, "%s_%s_", row->name ? " " : "", row->argument);
	if (row->type == CLI_TYPE_REST)
		strbuf_append(into, "...");
	cli_format_option_help(command, row, &help);
	strbuf_append(into, "\n\t");
	append_sentence(into, strbuf_str(&help));
}

void cli_format_man_options(const struct cli_command *command, struct strbuf *into)
{
	for (size_t i = 0; i < command->n_positionals; i++)
		format_row(command, &command->positionals[i], into);
	for (size_t i = 0; i < command->n_options; i++)
		format_row(command, &command->options[i], into);
	for (size_t i = 0; i < ARRAY_SIZE(cli_common_options); i++)
		format_row(command, &cli_common_options[i], into);
}

void cli_format_man_exits(const struct cli_command *command, struct strbuf *into)
{
	for (size_t i = 0; i < command->n_exits; i++) {
		strbuf_appendf(into, "*%d*\n\t", command->exits[i].code);
		append_sentence(into, command->exits[i].meaning);
	}
}

void cli_format_man_commands(const struct cli_command *command, struct strbuf *into)
{
	for (size_t i = 0; i < command->n_subcommands; i++) {
		const struct cli_command *sub = command->subcommands[i];

		strbuf_appendf(into, "*%s %s*", command->name, sub->name);
		if (sub->usage) {
			strbuf_append_char(into, ' ');
			append_plain(into, sub->usage);
		}
		strbuf_append(into, "\n\t");
		append_sentence(into, sub->summary);
	}
}

void cli_format_man_words(const struct cli_command *command, struct strbuf *into)
{
	for (size_t i = 0; i < command->n_words; i++) {
		const struct cli_word_row *row = &command->words[i];

		if (row->word)
			strbuf_appendf(into, "*%s*%s%s%s\n\t", row->word, row->argument ? " _" : "",
				       row->argument ? row->argument : "",
				       row->argument ? "_" : "");
		append_sentence(into, row->meaning);
	}
}
