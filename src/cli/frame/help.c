// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/frame/command.h"

#include <string.h>

#include "base/alloc.h"
#include "text/terminal.h"

enum { WIDEST_LEFT = 27 };

/* "  left      help text, wrapped"; a left part that is too long gets its own line. */
static void format_pair(const char *left, const char *right, size_t at, size_t columns,
			struct strbuf *into)
{
	size_t used = text_width(left);

	strbuf_append(into, left);
	if (used + 2 > at) {
		strbuf_append_char(into, '\n');
		used = 0;
	}
	strbuf_append_repeated(into, ' ', at - used);
	text_wrap(into, right, at, columns);
	strbuf_append_char(into, '\n');
}

static char *option_left(const struct cli_option *row)
{
	_cleanup_free_ char *letter = row->letter ? xasprintf("-%c, ", row->letter)
						  : xstrdup("    ");

	if (row->type == CLI_TYPE_REST)
		return xasprintf("  -- %s...", row->argument);
	if (!row->name)
		return xasprintf("  %s", row->argument);
	return xasprintf("  %s--%s%s%s", letter, row->name, row->argument ? " " : "",
			 row->argument ? row->argument : "");
}

static bool is_number(const struct cli_option *row)
{
	return row->type == CLI_TYPE_I32 || row->type == CLI_TYPE_U32 || row->type == CLI_TYPE_U64;
}

/* A default of 0 is not printed: rows use it for "not given". */
static uint64_t default_of(const struct cli_command *command, const struct cli_option *row)
{
	const char *member = (const char *)command->defaults + row->offset;

	if (!command->defaults)
		return 0;
	if (row->type == CLI_TYPE_U32)
		return *(const uint32_t *)member;
	return row->type == CLI_TYPE_U64 ? *(const uint64_t *)member : 0;
}

void cli_format_option_help(const struct cli_command *command, const struct cli_option *row,
			    struct strbuf *into)
{
	const char *separator = " (";

	strbuf_append(into, row->help);
	for (int i = 0; row->choices && row->choices[i]; i++)
		strbuf_appendf(into, "%s%s", i ? ", " : ": ", row->choices[i]);
	if (row->required && row->name) {
		strbuf_appendf(into, "%srequired", separator);
		separator = ", ";
	}
	if (row->type == CLI_TYPE_STRINGS) {
		strbuf_appendf(into, "%smay be repeated", separator);
		separator = ", ";
	}
	/* The full range of the type is not printed. */
	if (is_number(row) && row->max < INT32_MAX) {
		strbuf_appendf(into, "%s%lld to %llu", separator, (long long)row->min,
			       (unsigned long long)row->max);
		separator = ", ";
	}
	if (default_of(command, row)) {
		strbuf_appendf(into, "%sdefault %llu", separator,
			       (unsigned long long)default_of(command, row));
		separator = ", ";
	}
	if (separator[0] == ',')
		strbuf_append_char(into, ')');
}

static void format_rows(const char *title, const struct cli_command *command,
			const struct cli_option *rows, size_t n, size_t columns,
			struct strbuf *into)
{
	if (title && n)
		strbuf_appendf(into, "\n%s:\n", title);
	for (size_t i = 0; i < n; i++) {
		_cleanup_free_ char *left = option_left(&rows[i]);
		_cleanup_strbuf_ struct strbuf right = STRBUF_INIT;

		cli_format_option_help(command, &rows[i], &right);
		format_pair(left, strbuf_str(&right), WIDEST_LEFT, columns, into);
	}
}

static void format_exits(const struct cli_command *command, size_t columns, struct strbuf *into)
{
	size_t widest = 0;

	if (command->n_exits)
		strbuf_append(into, "\nExit status:\n");
	for (size_t i = 0; i < command->n_exits; i++) {
		size_t digits = (size_t)snprintf(NULL, 0, "%d", command->exits[i].code);

		widest = digits > widest ? digits : widest;
	}
	for (size_t i = 0; i < command->n_exits; i++) {
		_cleanup_free_ char *left = xasprintf("  %d", command->exits[i].code);

		format_pair(left, command->exits[i].meaning, widest + 5, columns, into);
	}
}

static void format_words(const struct cli_command *command, size_t columns, struct strbuf *into)
{
	if (command->n_words)
		strbuf_appendf(into, "\n%s:\n", command->words_title);
	for (size_t i = 0; i < command->n_words; i++) {
		const struct cli_word_row *row = &command->words[i];
		_cleanup_free_ char *left = NULL;

		if (!row->word) {
			strbuf_appendf(into, "\n%s:\n", row->meaning);
			continue;
		}
		left = xasprintf("  %s%s%s", row->word, row->argument ? " " : "",
				 row->argument ? row->argument : "");

		format_pair(left, row->meaning, WIDEST_LEFT, columns, into);
	}
}

void cli_format_help(const struct cli_command *command, const char *path, size_t columns,
		     struct strbuf *into)
{
	strbuf_appendf(into, "Usage: %s%s%s\n\n%s.\n", path, command->usage ? " " : "",
		       command->usage ? command->usage : "", command->summary);
	if (command->description) {
		strbuf_append_char(into, '\n');
		text_wrap(into, command->description, 0, columns);
		strbuf_append_char(into, '\n');
	}
	if (command->n_subcommands)
		strbuf_append(into, "\nCommands:\n");
	for (size_t i = 0; i < command->n_subcommands; i++) {
		_cleanup_free_ char *left = xasprintf("  %s", command->subcommands[i]->name);

		format_pair(left, command->subcommands[i]->summary, WIDEST_LEFT, columns, into);
	}
	format_rows("Arguments", command, command->positionals, command->n_positionals, columns,
		    into);
	format_words(command, columns, into);
	strbuf_append(into, "\nOptions:\n");
	format_rows(NULL, command, command->options, command->n_options, columns, into);
	format_rows(NULL, command, cli_common_options, ARRAY_SIZE(cli_common_options), columns,
		    into);
	format_exits(command, columns, into);
	if (command->examples)
		strbuf_appendf(into, "\nExamples:\n%s", command->examples);
}

void cli_format_version(const struct cli_command *program, struct strbuf *into)
{
	strbuf_appendf(into, "%s %s\n", program->name, KTSTR_VERSION);
}
