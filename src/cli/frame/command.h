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

enum cli_exit {
	CLI_EXIT_OK = 0,
	CLI_EXIT_FAILED = 1,
	CLI_EXIT_USAGE = 2,
	CLI_EXIT_INTERRUPTED = 130,
};

/* How a command line can be wrong. Programs print the message and exit 2. */
#define CLI_ERRORS(X) X(CLI_USAGE, "usage", "the command line is wrong")
DECLARE_ERROR_DOMAIN(cli, CLI, CLI_ERRORS);

struct cli_command;

/* What a running command may want to know about how it was called. */
struct cli_invocation {
	const struct cli_command *program; /* the outermost command */
	const char *path;		   /* "ktstr help" */
};

struct cli_exit_row {
	int code;
	const char *meaning;
};

/* A word that an argument may be: "map", "NAME", "contents of a BPF map". */
struct cli_word_row {
	const char *word;		/* NULL: another list begins, ->meaning is its title */
	const char *argument, *meaning; /* argument: NULL or what goes with the word */
};

struct cli_command {
	const char *name;
	const char *summary;	 /* one line, no full stop */
	const char *usage;	 /* what follows the name */
	const char *description; /* paragraphs, a newline between them */
	const char *examples;	 /* printed as it stands */
	const struct cli_option *options;
	size_t n_options;
	const struct cli_option *positionals;
	size_t n_positionals;
	const char *words_title; /* of the section of help that lists the words */
	const struct cli_word_row *words;
	size_t n_words;
	/*
	 * What a wrong command line exits with. 0: CLI_EXIT_USAGE; another number for commands that
	 * pass on the status of a program, which may be any small one.
	 */
	int usage_exit;
	const struct cli_exit_row *exits;
	size_t n_exits;
	size_t config_size;
	const void *defaults; /* config_size bytes; NULL means zeroes */
	/*
	 * What rows cannot say, such as options that exclude each other. May be NULL. What it makes
	 * of words may go into members of the config that no row fills.
	 */
	struct error *(*check)(void *config);
	/* One of both: what it shows on standard output, or the whole command and its status. */
	struct error *(*show)(const void *config, struct strbuf *out);
	int (*run)(const struct cli_invocation *invocation, const void *config);
	const struct cli_command *const *subcommands;
	size_t n_subcommands;
};

/* Members of a command that are an array. */
#define CLI_OPTIONS(rows)     .options = (rows), .n_options = ARRAY_SIZE(rows)
#define CLI_POSITIONALS(rows) .positionals = (rows), .n_positionals = ARRAY_SIZE(rows)
/* Options, and behind them `n` positional arguments. */
#define CLI_ROWS(rows, n)                                       \
	.options = (rows), .n_options = ARRAY_SIZE(rows) - (n), \
	.positionals = &(rows)[ARRAY_SIZE(rows) - (n)], .n_positionals = (n)
#define CLI_EXITS(rows) .exits = (rows), .n_exits = ARRAY_SIZE(rows)
#define CLI_EXITS_USUAL(ok, failed)                              \
	CLI_EXITS(((const struct cli_exit_row[]){                \
		{ CLI_EXIT_OK, ok },                             \
		{ CLI_EXIT_FAILED, failed },                     \
		{ CLI_EXIT_USAGE, "the command line is wrong" }, \
	}))
#define CLI_WORDS(title, rows) .words_title = (title), .words = (rows), .n_words = ARRAY_SIZE(rows)
#define CLI_SUBCOMMANDS(rows)  .subcommands = (rows), .n_subcommands = ARRAY_SIZE(rows)

enum cli_intent {
	CLI_INTENT_RUN,
	CLI_INTENT_HELP,
	CLI_INTENT_VERSION,
	CLI_INTENT_SUBCOMMAND,
};

struct cli_parsed {
	enum cli_intent intent;
	const struct cli_command *subcommand;
	int next; /* where the arguments of the sub-command begin */
};

/*
 * Fills config from argv[1..]. Every option may be given once, unless it is one of
 * CLI_STRINGS; "--" ends the options; `--name value` and `--name=value` are the same. -h and -V
 * win over everything after them. Does not check ->required for them.
 */
struct error *cli_parse(const struct cli_command *command, int argc, char *const argv[],
			void *config, struct cli_parsed *ret) MUST_CHECK;

const struct cli_command *cli_find(const struct cli_command *program, const char *name);

/* The whole life of a program; the value is its exit code. */
int cli_main(const struct cli_command *program, int argc, char *const argv[]);

/* Text and generated parts, all from the rows. `path` is the full name of the command. */
void cli_format_help(const struct cli_command *command, const char *path, size_t columns,
		     struct strbuf *into);
/* The help of one row with its range, default and choices. */
void cli_format_option_help(const struct cli_command *command, const struct cli_option *row,
			    struct strbuf *into);
void cli_format_version(const struct cli_command *program, struct strbuf *into);
void cli_format_bash_completion(const struct cli_command *program, struct strbuf *into);
void cli_format_zsh_completion(const struct cli_command *program, struct strbuf *into);
void cli_format_fish_completion(const struct cli_command *program, struct strbuf *into);
/* The OPTIONS, EXIT STATUS and COMMANDS sections of a man page, in scdoc's language. */
void cli_format_man_options(const struct cli_command *command, struct strbuf *into);
void cli_format_man_exits(const struct cli_command *command, struct strbuf *into);
void cli_format_man_commands(const struct cli_command *command, struct strbuf *into);
/* The words, as a list. */
void cli_format_man_words(const struct cli_command *command, struct strbuf *into);

/* Writes everything to standard output; on failure says so and returns CLI_EXIT_FAILED. */
int cli_print(const struct strbuf *text);
/* One line on standard error, made safe for terminals. */
void cli_say(const char *fmt, ...) PRINTF_LIKE(1, 2);
/* The same, "error: message". */
void cli_print_error(const char *message);
/* Prints an error that a command ends with; the value is CLI_EXIT_FAILED, or _INTERRUPTED. */
int cli_fail(const struct error *err);

#endif
