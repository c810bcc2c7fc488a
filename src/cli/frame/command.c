// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/frame/command.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/io.h"
#include "text/terminal.h"

enum {
	COLUMNS_WHEN_UNKNOWN = 80,
	WIDEST_HELP = 100, /* longer lines are hard to read */
};

void cli_say(const char *fmt, ...)
{
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;
	_cleanup_free_ char *text = NULL;
	va_list args;

	va_start(args, fmt);
	text = xvasprintf(fmt, args);
	va_end(args);
	text_escape(&line, text);
	strbuf_append_char(&line, '\n');
	/* Nobody is left to tell when standard error itself is gone. */
	error_free(io_write_all(STDERR_FILENO, "standard error", line.at, line.n));
}

void cli_print_error(const char *message)
{
	cli_say("error: %s", message);
}

int cli_fail(const struct error *err)
{
	cli_print_error(error_message(err));
	return error_is(err, &base_error_domain, BASE_CANCELLED) ? CLI_EXIT_INTERRUPTED
								 : CLI_EXIT_FAILED;
}

int cli_print(const struct strbuf *text)
{
	_cleanup_error_ struct error *err = io_write_all(STDOUT_FILENO, "standard output",
							 strbuf_str(text), text->n);

	if (!err)
		return CLI_EXIT_OK;
	cli_say("error writing output: %s", error_message(err));
	return CLI_EXIT_FAILED;
}

static size_t help_columns(int fd)
{
	size_t columns = text_terminal_columns(fd);

	if (columns == 0)
		return COLUMNS_WHEN_UNKNOWN;
	return columns > WIDEST_HELP ? WIDEST_HELP : columns;
}

static int usage_error(const struct cli_command *command, const struct cli_invocation *invocation,
		       const struct error *err)
{
	cli_print_error(error_message(err));
	fprintf(stderr, "Try '%s --help' for more.\n", invocation->path);
	return command->usage_exit ? command->usage_exit : CLI_EXIT_USAGE;
}

static int print_help(const struct cli_command *command, const char *path)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	cli_format_help(command, path, help_columns(STDOUT_FILENO), &text);
	return cli_print(&text);
}

static int print_version(const struct cli_command *program)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	cli_format_version(program, &text);
	return cli_print(&text);
}

/* A program of commands called bare wants to be known, but nothing was done. */
static int print_help_as_error(const struct cli_command *command, const char *path)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	cli_format_help(command, path, help_columns(STDERR_FILENO), &text);
	fputs(strbuf_str(&text), stderr);
	return CLI_EXIT_USAGE;
}

static int print_what_it_shows(const struct cli_command *command, const void *config)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	_cleanup_error_ struct error *err = command->show(config, &out);

	return err ? cli_fail(err) : cli_print(&out);
}

static int command_call(const struct cli_command *command, const struct cli_invocation *invocation,
			int argc, char *const argv[])
{
	_cleanup_free_ void *config = xcalloc(1, command->config_size + 1);
	_cleanup_error_ struct error *err = NULL;
	struct cli_parsed parse;

	if (command->defaults)
		memcpy(config, command->defaults, command->config_size);
	if (command->n_subcommands && argc < 2)
		return print_help_as_error(command, invocation->path);
	err = cli_parse(command, argc, argv, config, &parse);
	if (err)
		return usage_error(command, invocation, err);
	switch (parse.intent) {
	case CLI_INTENT_HELP:
		return print_help(command, invocation->path);
	case CLI_INTENT_VERSION:
		return print_version(invocation->program);
	case CLI_INTENT_SUBCOMMAND: {
		_cleanup_free_ char *path = xasprintf("%s %s", invocation->path,
						      parse.subcommand->name);
		struct cli_invocation inner = { .program = invocation->program, .path = path };

		return command_call(parse.subcommand, &inner, argc - parse.next + 1,
				    argv + parse.next - 1);
	}
	case CLI_INTENT_RUN:
		break;
	}
	return command->show ? print_what_it_shows(command, config)
			     : command->run(invocation, config);
}

int cli_main(const struct cli_command *program, int argc, char *const argv[])
{
	struct cli_invocation invocation = { .program = program, .path = program->name };

	return command_call(program, &invocation, argc, argv);
}
