/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options as rows. A row says how an option is spelled, what it takes and which
 * member of a config struct it fills; the same row is parsed, checked, printed
 * by --help, written into the man page and offered by the shell:
 *
 *	{ .name = "snapshots", .argument = "N",
 *	  OPTION_U32(struct probe_config, snapshots, 1, 100000),
 *	  .help = "how many snapshots to take" },
 *
 * The macro names the member, and a member of another type does not compile.
 * Positional arguments are rows without a name; the last of them may be repeated, if it is one of
 * OPTION_STRINGS, or take the rest of the command line, whatever stands there, behind "--":
 *
 *	{ .argument = "ARG", OPTION_REST(struct shell_config, argv), .help = "the command" },
 */
#ifndef KTSTR_CLI_FRAME_OPTION_H
#define KTSTR_CLI_FRAME_OPTION_H

#include "base/macros.h"

enum option_type {
	OPTION_TYPE_FLAG,    /* bool */
	OPTION_TYPE_I32,     /* int32_t */
	OPTION_TYPE_U32,     /* uint32_t */
	OPTION_TYPE_U64,     /* uint64_t */
	OPTION_TYPE_STRING,  /* const char *, borrowed from argv */
	OPTION_TYPE_STRINGS, /* struct option_strings: the option may stand many times */
	OPTION_TYPE_REST, /* const char *const *: all that stands behind "--"; NULL: nothing does */
	OPTION_TYPE_CHOICE, /* int: the index of the word in choices */
	OPTION_TYPE_HELP,   /* ends the parse: show help */
	OPTION_TYPE_VERSION,
};

enum option_complete {
	OPTION_COMPLETE_NOTHING,
	OPTION_COMPLETE_FILE,
	OPTION_COMPLETE_PID,
	OPTION_COMPLETE_COMMAND,
};

/* Values of an option that may be repeated, in their order, borrowed from argv. */
enum { OPTION_STRINGS_LIMIT = 256 };
struct option_strings {
	size_t n;
	const char *at[OPTION_STRINGS_LIMIT];
};

struct option_row {
	const char *name;     /* long name without dashes; NULL for a positional argument */
	char letter;	      /* 0 when there is none */
	const char *argument; /* what help calls the value; NULL for flags */
	enum option_type type;
	size_t offset;
	int64_t min; /* both inclusive */
	uint64_t max;
	const char *const *choices; /* NULL-terminated */
	bool required;
	enum option_complete complete;
	const char *help; /* one sentence, no full stop */
};

/* The offset of a member, and a compile error when it has another type. */
#define OPTION_OFFSET_(config, member, expected)                                                 \
	(offsetof(config, member) +                                                              \
	 0 * sizeof(struct {                                                                     \
		 int wrong_member_type                                                           \
		     : __builtin_types_compatible_p(__typeof__(((config *)0)->member), expected) \
		       ? 1                                                                       \
		       : -1;                                                                     \
	 }))

#define OPTION_FLAG(config, member) \
	.type = OPTION_TYPE_FLAG, .offset = OPTION_OFFSET_(config, member, bool)
#define OPTION_I32(config, member, min_, max_)                                                     \
	.type = OPTION_TYPE_I32, .offset = OPTION_OFFSET_(config, member, int32_t), .min = (min_), \
	.max = (max_)
#define OPTION_U32(config, member, min_, max_)                                       \
	.type = OPTION_TYPE_U32, .offset = OPTION_OFFSET_(config, member, uint32_t), \
	.min = (min_), .max = (max_)
#define OPTION_U64(config, member, min_, max_)                                       \
	.type = OPTION_TYPE_U64, .offset = OPTION_OFFSET_(config, member, uint64_t), \
	.min = (min_), .max = (max_)
#define OPTION_STRING(config, member) \
	.type = OPTION_TYPE_STRING, .offset = OPTION_OFFSET_(config, member, const char *)
#define OPTION_STRINGS(config, member) \
	.type = OPTION_TYPE_STRINGS, .offset = OPTION_OFFSET_(config, member, struct option_strings)
#define OPTION_REST(config, member) \
	.type = OPTION_TYPE_REST, .offset = OPTION_OFFSET_(config, member, const char *const *)
#define OPTION_CHOICE(config, member, words)                                       \
	.type = OPTION_TYPE_CHOICE, .offset = OPTION_OFFSET_(config, member, int), \
	.choices = (words)

/* -h and -V: the same in every command. */
extern const struct option_row option_common_rows[2];

#endif
