/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A command is one const struct: what it is called, what it takes, what it
 * does. A program is a command; a command with sub-commands does nothing itself.
 */
#ifndef KTSTR_CLI_FRAME_COMMAND_H
#define KTSTR_CLI_FRAME_COMMAND_H

#include "base/error.h"
#include "base/strbuf.h"
#include "cli/frame/option.h"

enum exit_code {
	EXIT_OK = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
};

/* How a command line can be wrong. Programs print the message and exit 2. */
#define CLI_ERRORS(X) X(CLI_USAGE, "usage", "the command line is wrong")
DECLARE_ERROR_DOMAIN(cli, CLI, CLI_ERRORS);

struct cli_command;

/* What a running command may want to know about how it was called. */
struct invocation {
	const struct cli_command *program; /* the outermost command */
	const char *path;		   /* "ktstr help" */
};

struct exit_row {
	int code;
	const char *meaning;
};

/* A word that an argument may be: "map", "NAME", "what a BPF map holds". */
struct word_row {
	const char *word;		/* NULL: another list begins, ->meaning is its title */
	const char *argument, *meaning; /* argument: NULL or what goes with the word */
};

struct cli_command {
	const char *name;
	const char *summary;	 /* one line, no full stop */
	const char *usage;	 /* what stands behind the name */
	const char *description; /* paragraphs, a newline between them */
	const char *examples;	 /* printed as it stands */
	const struct option_row *options;
	size_t n_options;
	const struct option_row *positionals;
	size_t n_positionals;
	const char *words_title; /* of the section of help that lists the words */
	const struct word_row *words;
	size_t n_words;
	/*
	 * What a wrong command line exits with. 0: EXIT_USAGE; another number for commands that
	 * pass on the status of a program, which may be any small one.
	 */
	int usage_exit;
	const struct exit_row *exits;
	size_t n_exits;
	size_t config_size;
	const void *defaults; /* config_size bytes; NULL means zeroes */
	/*
	 * What rows cannot say, such as options that exclude each other. May be NULL. What it makes
	 * of words may go into members of the config that no row fills.
	 */
	struct error *(*check)(void *config);
	int (*run)(const struct invocation *invocation, const void *config);
	const struct cli_command *const *subcommands;
	size_t n_subcommands;
};

/* Members of a command that are an array. */
#define COMMAND_OPTIONS(rows)	  .options = (rows), .n_options = ARRAY_SIZE(rows)
#define COMMAND_POSITIONALS(rows) .positionals = (rows), .n_positionals = ARRAY_SIZE(rows)
#define COMMAND_EXITS(rows)	  .exits = (rows), .n_exits = ARRAY_SIZE(rows)
#define COMMAND_WORDS(title, rows) \
	.words_title = (title), .words = (rows), .n_words = ARRAY_SIZE(rows)
#define COMMAND_SUBCOMMANDS(rows) .subcommands = (rows), .n_subcommands = ARRAY_SIZE(rows)

enum command_intent {
	COMMAND_RUN,
	COMMAND_HELP,
	COMMAND_VERSION,
	COMMAND_SUBCOMMAND,
};

struct command_parse {
	enum command_intent intent;
	const struct cli_command *subcommand;
	int next; /* where the arguments of the sub-command begin */
};

/*
 * Fills config from argv[1..]. Every option may stand once, unless it is one of
 * OPTION_STRINGS; "--" ends the options; `--name value` and `--name=value` are the same. -h and -V
 * win over everything that stands after them. Does not check ->required for them.
 */
struct error *command_parse(const struct cli_command *command, int argc, char *const argv[],
			    void *config, struct command_parse *ret) MUST_CHECK;

const struct cli_command *command_find(const struct cli_command *program, const char *name);

/* The whole life of a program; the value is its exit code. */
int command_main(const struct cli_command *program, int argc, char *const argv[]);

/* Text and generated parts, all from the rows. `path` is the full name of the command. */
void command_format_help(const struct cli_command *command, const char *path, size_t columns,
			 struct strbuf *into);
/* The help of one row with its range, default and choices. */
void option_format_help(const struct cli_command *command, const struct option_row *row,
			struct strbuf *into);
void command_format_version(const struct cli_command *program, struct strbuf *into);
void command_format_bash_completion(const struct cli_command *program, struct strbuf *into);
void command_format_zsh_completion(const struct cli_command *program, struct strbuf *into);
void command_format_fish_completion(const struct cli_command *program, struct strbuf *into);
/* The OPTIONS, EXIT STATUS and COMMANDS sections of a man page, in scdoc's language. */
void command_format_man_options(const struct cli_command *command, struct strbuf *into);
void command_format_man_exits(const struct cli_command *command, struct strbuf *into);
void command_format_man_commands(const struct cli_command *command, struct strbuf *into);
/* The words, as a list. */
void command_format_man_words(const struct cli_command *command, struct strbuf *into);

/* Writes everything to standard output; on failure says so and returns EXIT_FAILED. */
int command_print(const struct strbuf *text);
/* One line on standard error, made safe for terminals. */
void command_say(const char *fmt, ...) PRINTF_LIKE(1, 2);
/* The same, "error: message". */
void command_print_error(const char *message);
/* Prints an error that a command ends with; the value is EXIT_FAILED. */
int command_fail(const struct error *err);

#endif
