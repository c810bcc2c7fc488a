/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options as rows. A row says how an option is spelled, what it takes and which
 * member of a config struct it fills; the same row is parsed, checked, printed
 * by --help, written into the man page and offered by the shell:
 *
 *	CLI_OPTION("snapshots", "N", CLI_U32(struct probe_config, snapshots, 1, 100000),
 *		   "how many snapshots to take", .letter = 'n'),
 *
 * The macro names the member, and a member of another type does not compile.
 * Positional arguments are rows without a name; the last of them may be repeated, if it is one of
 * CLI_STRINGS, or take the rest of the command line, all words after "--":
 *
 *	CLI_ARGUMENT("ARG", CLI_REST(struct shell_config, argv), "the command"),
 */
#ifndef KTSTR_CLI_FRAME_OPTION_H
#define KTSTR_CLI_FRAME_OPTION_H

#include "base/macros.h"

enum cli_option_type {
	CLI_TYPE_FLAG,	  /* bool */
	CLI_TYPE_I32,	  /* int32_t */
	CLI_TYPE_U32,	  /* uint32_t */
	CLI_TYPE_U64,	  /* uint64_t */
	CLI_TYPE_STRING,  /* const char *, borrowed from argv */
	CLI_TYPE_STRINGS, /* struct cli_strings: the option may be repeated */
	CLI_TYPE_REST,	  /* const char *const *: all words after "--"; NULL: there are none */
	CLI_TYPE_CHOICE,  /* int: the index of the word in choices */
	CLI_TYPE_HELP,	  /* ends the parse: show help */
	CLI_TYPE_VERSION,
};

enum cli_complete {
	CLI_COMPLETE_NOTHING,
	CLI_COMPLETE_FILE,
	CLI_COMPLETE_PID,
	CLI_COMPLETE_COMMAND,
};

/* Values of an option that may be repeated, in their order, borrowed from argv. */
enum { CLI_LIMIT_STRINGS = 256 };
struct cli_strings {
	size_t n;
	const char *at[CLI_LIMIT_STRINGS];
};

struct cli_option {
	const char *name;     /* long name without dashes; NULL for a positional argument */
	char letter;	      /* 0 when there is none */
	const char *argument; /* what help calls the value; NULL for flags */
	enum cli_option_type type;
	size_t offset;
	int64_t min; /* both inclusive */
	uint64_t max;
	const char *const *choices; /* NULL-terminated */
	bool required;
	enum cli_complete complete;
	const char *help; /* one sentence, no full stop */
};

/* The offset of a member, and a compile error when it has another type. */
#define CLI_OFFSET_(config, member, expected)                                                    \
	(offsetof(config, member) +                                                              \
	 0 * sizeof(struct {                                                                     \
		 int wrong_member_type                                                           \
		     : __builtin_types_compatible_p(__typeof__(((config *)0)->member), expected) \
		       ? 1                                                                       \
		       : -1;                                                                     \
	 }))

#define CLI_FLAG(config, member) .type = CLI_TYPE_FLAG, .offset = CLI_OFFSET_(config, member, bool)
#define CLI_I32(config, member, min_, max_)                                                  \
	.type = CLI_TYPE_I32, .offset = CLI_OFFSET_(config, member, int32_t), .min = (min_), \
	.max = (max_)
#define CLI_U32(config, member, min_, max_)                                                   \
	.type = CLI_TYPE_U32, .offset = CLI_OFFSET_(config, member, uint32_t), .min = (min_), \
	.max = (max_)
#define CLI_U64(config, member, min_, max_)                                                   \
	.type = CLI_TYPE_U64, .offset = CLI_OFFSET_(config, member, uint64_t), .min = (min_), \
	.max = (max_)
#define CLI_STRING(config, member) \
	.type = CLI_TYPE_STRING, .offset = CLI_OFFSET_(config, member, const char *)
#define CLI_STRINGS(config, member) \
	.type = CLI_TYPE_STRINGS, .offset = CLI_OFFSET_(config, member, struct cli_strings)
#define CLI_REST(config, member) \
	.type = CLI_TYPE_REST, .offset = CLI_OFFSET_(config, member, const char *const *)
#define CLI_CHOICE(config, member, words) \
	.type = CLI_TYPE_CHOICE, .offset = CLI_OFFSET_(config, member, int), .choices = (words)

/* A row; members that it seldom has may follow the help. */
#define CLI_OPTION(name_, argument_, takes, help_, ...) \
	{ .name = (name_), .argument = (argument_), takes, .help = (help_), ##__VA_ARGS__ }
#define CLI_ARGUMENT(argument_, takes, help_, ...) \
	{ .argument = (argument_), takes, .help = (help_), ##__VA_ARGS__ }

/* -h and -V: the same in every command. */
extern const struct cli_option cli_common_options[2];

#endif
