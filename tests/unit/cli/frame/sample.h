/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A command with every kind of option, for the tests of the frame. */
#ifndef KTSTR_TESTS_CLI_SAMPLE_H
#define KTSTR_TESTS_CLI_SAMPLE_H

#include "cli/frame/command.h"

struct sample_config {
	bool flag;
	int32_t level;
	uint32_t count;
	uint64_t size;
	const char *path;
	int mode;
	struct cli_strings files;
	const char *word;
	const char *const *rest;
};

static const char *const sample_modes[] = { "slow", "fast", NULL };

static const struct cli_option sample_options[] = {
	{ .name = "flag", .letter = 'f', CLI_FLAG(struct sample_config, flag), .help = "a flag" },
	{ .name = "level",
	  .letter = 'l',
	  .argument = "N",
	  CLI_I32(struct sample_config, level, -5, 5),
	  .help = "a signed number" },
	{ .name = "count",
	  .argument = "N",
	  CLI_U32(struct sample_config, count, 1, 100),
	  .help = "a count" },
	{ .name = "size",
	  .argument = "BYTES",
	  CLI_U64(struct sample_config, size, 0, UINT64_MAX),
	  .help = "a size" },
	{ .name = "path",
	  .letter = 'p',
	  .argument = "PATH",
	  CLI_STRING(struct sample_config, path),
	  .complete = CLI_COMPLETE_FILE,
	  .help = "a path" },
	{ .name = "mode",
	  .argument = "MODE",
	  CLI_CHOICE(struct sample_config, mode, sample_modes),
	  .help = "one of" },
	{ .name = "include",
	  .letter = 'i',
	  .argument = "FILE",
	  CLI_STRINGS(struct sample_config, files),
	  .complete = CLI_COMPLETE_FILE,
	  .help = "a file" },
};

static const struct cli_option sample_positionals[] = {
	{ .argument = "WORD", CLI_STRING(struct sample_config, word), .help = "a word" },
	{ .argument = "ARG", CLI_REST(struct sample_config, rest), .help = "the rest" },
};

static const struct cli_word_row sample_words[] = {
	{ "one", NULL, "the first word" },
	{ "two", "NAME", "another" },
	{ NULL, NULL, "More words" },
	{ "three", NULL, "the last" },
};

static const struct cli_exit_row sample_exits[] = { { 0, "fine" }, { 1, "not_fine" } };

static const struct sample_config sample_defaults = { .count = 7, .level = 1 };

static const struct cli_command sample = {
	.name = "sample",
	.summary = "Show what a command can have",
	.usage = "[options] [WORD] [-- ARG...]",
	.description = "One paragraph.",
	.examples = "  sample --flag\n",
	CLI_OPTIONS(sample_options),
	CLI_POSITIONALS(sample_positionals),
	CLI_WORDS("Words", sample_words),
	CLI_EXITS(sample_exits),
	.config_size = sizeof(struct sample_config),
	.defaults = &sample_defaults,
};

static const struct cli_command *const sample_children[] = { &sample };

/* A program whose only command is the sample. */
static const struct cli_command sample_parent UNUSED = {
	.name = "parent",
	.summary = "Hold a command",
	.usage = "COMMAND",
	CLI_SUBCOMMANDS(sample_children),
};

static const struct cli_option sample_help_words[] = {
	{ .argument = "COMMAND",
	  CLI_STRING(struct sample_config, word),
	  .complete = CLI_COMPLETE_COMMAND,
	  .help = "a command" },
};

static const struct cli_command sample_help UNUSED = {
	.name = "help",
	.summary = "Explain the parent's command",
	CLI_POSITIONALS(sample_help_words),
};

static const struct cli_command *const sample_branches[] = { &sample_parent, &sample_help };

/* A program with commands on two levels. */
static const struct cli_command sample_tree UNUSED = {
	.name = "tree",
	.summary = "Hold commands of commands",
	.usage = "COMMAND",
	CLI_SUBCOMMANDS(sample_branches),
};

#endif
