// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/command.h"

#include <string.h>

#include "base/alloc.h"
#include "text/utf8.h"
#include "text/wrap.h"

enum { WIDEST_LEFT = 26 };

static size_t left_width(const char *left)
{
	return utf8_width(left);
}

/* "  left      help text, wrapped"; a left part that is too long gets its own line. */
static void format_pair(const char *left, const char *right, size_t at, size_t columns,
			struct strbuf *into)
{
	size_t used = left_width(left);

	strbuf_append(into, left);
	if (used + 2 > at) {
		strbuf_append_char(into, '\n');
		used = 0;
	}
	strbuf_append_repeated(into, ' ', at - used);
	text_wrap(into, right, at, columns);
	strbuf_append_char(into, '\n');
}

static char *option_left(const struct option_row *row)
{
	_cleanup_free_ char *letter = row->letter ? xasprintf("-%c, ", row->letter)
						  : xstrdup("    ");

	if (!row->name)
		return xasprintf("  %s", row->argument);
	return xasprintf("  %s--%s%s%s", letter, row->name, row->argument ? " " : "",
			 row->argument ? row->argument : "");
}

static char *option_right(const struct option_row *row)
{
	if (row->required && row->name)
		return xasprintf("%s (required)", row->help);
	return xstrdup(row->help);
}

static void format_rows(const char *title, const struct option_row *rows, size_t n, size_t columns,
			struct strbuf *into)
{
	if (title && n)
		strbuf_appendf(into, "\n%s:\n", title);
	for (size_t i = 0; i < n; i++) {
		_cleanup_free_ char *left = option_left(&rows[i]);
		_cleanup_free_ char *right = option_right(&rows[i]);

		format_pair(left, right, WIDEST_LEFT, columns, into);
	}
}

void command_format_help(const struct command *command, const char *path, size_t columns,
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
	format_rows("Arguments", command->positionals, command->n_positionals, columns, into);
	strbuf_append(into, "\nOptions:\n");
	format_rows(NULL, command->options, command->n_options, columns, into);
	format_rows(NULL, option_common_rows, ARRAY_SIZE(option_common_rows), columns, into);
	if (command->n_exits)
		strbuf_append(into, "\nExit status:\n");
	for (size_t i = 0; i < command->n_exits; i++) {
		_cleanup_free_ char *left = xasprintf("  %d", command->exits[i].code);

		format_pair(left, command->exits[i].meaning, 6, columns, into);
	}
	if (command->examples)
		strbuf_appendf(into, "\nExamples:\n%s", command->examples);
}

void command_format_version(const struct command *program, struct strbuf *into)
{
	strbuf_appendf(into, "%s %s\n", program->name, KTSTR_VERSION);
}
