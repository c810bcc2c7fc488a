// SPDX-License-Identifier: GPL-2.0-or-later
/* The command line becomes a config struct, guided by option rows. */
#include "cli/frame/command.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "base/suggest.h"

DEFINE_ERROR_DOMAIN(cli, CLI, CLI_ERRORS);

const struct cli_option cli_common_options[2] = {
	{ .name = "help", .letter = 'h', .type = CLI_TYPE_HELP, .help = "show this help" },
	{ .name = "version",
	  .letter = 'V',
	  .type = CLI_TYPE_VERSION,
	  .help = "print name and version" },
};

struct parser {
	const struct cli_command *command;
	int argc;
	char *const *argv;
	int at;
	char letter; /* of the option that is read, when it was given as -k; else 0 */
	char *config;
	bool *seen; /* one per option row of the command */
	size_t n_positionals;
	bool options_ended;
	struct cli_parsed *out;
	bool done;
};

static bool takes_value(const struct cli_option *row)
{
	return row->type != CLI_TYPE_FLAG && row->type != CLI_TYPE_HELP &&
	       row->type != CLI_TYPE_VERSION;
}

/* What the user must recognise in a message: "--pid" or "-p", as given, or "BYTES". */
static char *spelling(const struct parser *p, const struct cli_option *row)
{
	if (!row->name)
		return xstrdup(row->argument);
	return p->letter ? xasprintf("-%c", p->letter) : xasprintf("--%s", row->name);
}

static struct error *out_of_range(const struct cli_option *row, const char *label,
				  const char *value)
{
	return cli_error(CLI_USAGE, 0, "%s %s: expected a number from %lld to %llu", label, value,
			 (long long)row->min, (unsigned long long)row->max);
}

/* Digits with an optional minus; everything that strtoll() would forgive is refused. */
static bool is_whole_number(const char *text)
{
	if (*text == '-')
		text++;
	return *text && strspn(text, "0123456789") == strlen(text);
}

static struct error *store_number(struct parser *p, const struct cli_option *row, const char *label,
				  const char *value)
{
	char *member = p->config + row->offset;
	bool negative = value[0] == '-';
	uint64_t magnitude;

	if (!is_whole_number(value))
		return cli_error(CLI_USAGE, 0, "%s '%s': expected a whole number from %lld to %llu",
				 label, value, (long long)row->min, (unsigned long long)row->max);
	if (!str_parse_u64(value + negative, UINT64_MAX, &magnitude))
		return out_of_range(row, label, value);
	if (negative) {
		if (row->min >= 0 ? magnitude != 0 || row->min > 0
				  : magnitude > (uint64_t)-(row->min + 1) + 1)
			return out_of_range(row, label, value);
	} else if (magnitude > row->max || (row->min > 0 && magnitude < (uint64_t)row->min)) {
		return out_of_range(row, label, value);
	}
	if (row->type == CLI_TYPE_I32)
		*(int32_t *)member = (int32_t)(negative ? -(int64_t)magnitude : (int64_t)magnitude);
	else if (row->type == CLI_TYPE_U32)
		*(uint32_t *)member = (uint32_t)magnitude;
	else
		*(uint64_t *)member = magnitude;
	return NULL;
}

static struct error *store_choice(struct parser *p, const struct cli_option *row, const char *label,
				  const char *value)
{
	_cleanup_strbuf_ struct strbuf words = STRBUF_INIT;

	for (int i = 0; row->choices[i]; i++) {
		if (strcmp(row->choices[i], value) == 0) {
			*(int *)(p->config + row->offset) = i;
			return NULL;
		}
		strbuf_appendf(&words, "%s%s", i ? ", " : "", row->choices[i]);
	}
	return cli_error(CLI_USAGE, 0, "%s '%s' is not one of: %s", label, value,
			 strbuf_str(&words));
}

static struct error *store_one_more(struct parser *p, const struct cli_option *row,
				    const char *label, const char *value)
{
	struct cli_strings *strings = (struct cli_strings *)(p->config + row->offset);

	if (strings->n == CLI_LIMIT_STRINGS)
		return cli_error(CLI_USAGE, 0, "%s is given more than %d times", label,
				 CLI_LIMIT_STRINGS);
	strings->at[strings->n++] = value;
	return NULL;
}

static struct error *store(struct parser *p, const struct cli_option *row, const char *value)
{
	_cleanup_free_ char *label = spelling(p, row);

	switch (row->type) {
	case CLI_TYPE_FLAG:
		*(bool *)(p->config + row->offset) = true;
		return NULL;
	case CLI_TYPE_I32:
	case CLI_TYPE_U32:
	case CLI_TYPE_U64:
		return store_number(p, row, label, value);
	case CLI_TYPE_CHOICE:
		return store_choice(p, row, label, value);
	case CLI_TYPE_STRING:
	case CLI_TYPE_STRINGS:
		if (!*value)
			return cli_error(CLI_USAGE, 0, "%s is empty; give a %s", label,
					 row->argument);
		if (row->type == CLI_TYPE_STRINGS)
			return store_one_more(p, row, label, value);
		*(const char **)(p->config + row->offset) = value;
		return NULL;
	case CLI_TYPE_REST:
		/* argv ends with a NULL, and so does every end of it. */
		*(char *const **)(p->config + row->offset) = &p->argv[p->at - 1];
		p->at = p->argc;
		return NULL;
	case CLI_TYPE_HELP:
	case CLI_TYPE_VERSION:
		p->out->intent = row->type == CLI_TYPE_HELP ? CLI_INTENT_HELP : CLI_INTENT_VERSION;
		p->done = true;
		return NULL;
	}
	abort();
}

static const struct cli_option *find_row(const struct cli_command *command, const char *name,
					 size_t n, char letter)
{
	const struct cli_option *tables[] = { command->options, cli_common_options };
	size_t sizes[] = { command->n_options, ARRAY_SIZE(cli_common_options) };

	for (size_t t = 0; t < ARRAY_SIZE(tables); t++) {
		for (size_t i = 0; i < sizes[t]; i++) {
			const struct cli_option *row = &tables[t][i];

			if (letter ? row->letter == letter
				   : strlen(row->name) == n && memcmp(row->name, name, n) == 0)
				return row;
		}
	}
	return NULL;
}

static struct error *unknown_option(const struct cli_command *command, const char *name, size_t n)
{
	_cleanup_free_ char *word = xstrndup(name, n);
	struct suggest near = { .wanted = word };

	for (size_t i = 0; i < command->n_options; i++)
		suggest_offer(&near, command->options[i].name);
	for (size_t i = 0; i < ARRAY_SIZE(cli_common_options); i++)
		suggest_offer(&near, cli_common_options[i].name);
	if (near.names[0])
		return cli_error(CLI_USAGE, 0, "unknown option --%s; did you mean --%s?", word,
				 near.names[0]);
	return cli_error(CLI_USAGE, 0, "unknown option --%s", word);
}

/* `value` is the text after "=" or the letter; NULL takes the next argument. */
static struct error *take_option(struct parser *p, const struct cli_option *row, const char *value)
{
	_cleanup_free_ char *label = spelling(p, row);
	bool is_own = row >= p->command->options &&
		      row < p->command->options + p->command->n_options;

	if (is_own) {
		bool *seen = &p->seen[row - p->command->options];

		if (*seen && row->type != CLI_TYPE_STRINGS)
			return cli_error(CLI_USAGE, 0, "%s is given twice", label);
		*seen = true;
	}
	if (!takes_value(row)) {
		if (value)
			return cli_error(CLI_USAGE, 0, "%s takes no value, but '%s' was given",
					 label, value);
		return store(p, row, NULL);
	}
	if (!value) {
		const char *next = p->at < p->argc ? p->argv[p->at] : NULL;

		if (!next || (strncmp(next, "--", 2) == 0))
			return cli_error(CLI_USAGE, 0, "%s needs a value: %s %s", label, label,
					 row->argument);
		value = next;
		p->at++;
	}
	return store(p, row, value);
}

static struct error *take_long(struct parser *p, const char *arg)
{
	const char *equals = strchr(arg, '=');
	size_t n = equals ? (size_t)(equals - arg) : strlen(arg);
	const struct cli_option *row = find_row(p->command, arg, n, 0);

	if (!row)
		return unknown_option(p->command, arg, n);
	p->letter = 0;
	return take_option(p, row, equals ? equals + 1 : NULL);
}

static struct error *take_letters(struct parser *p, const char *letters)
{
	for (; *letters && !p->done; letters++) {
		const struct cli_option *row = find_row(p->command, NULL, 0, *letters);
		struct error *err;

		if (!row)
			return cli_error(CLI_USAGE, 0, "unknown option -%c", *letters);
		p->letter = *letters;
		if (takes_value(row))
			return take_option(p, row, letters[1] ? letters + 1 : NULL);
		err = take_option(p, row, NULL);
		if (err)
			return err;
	}
	return NULL;
}

const struct cli_command *cli_find(const struct cli_command *program, const char *name)
{
	for (size_t i = 0; i < program->n_subcommands; i++) {
		if (strcmp(program->subcommands[i]->name, name) == 0)
			return program->subcommands[i];
	}
	return NULL;
}

static struct error *take_word(struct parser *p, const char *word)
{
	const struct cli_command *command = p->command;

	if (command->n_subcommands) {
		struct suggest near = { .wanted = word };

		p->out->subcommand = cli_find(command, word);
		if (p->out->subcommand) {
			p->out->intent = CLI_INTENT_SUBCOMMAND;
			p->out->next = p->at;
			p->done = true;
			return NULL;
		}
		for (size_t i = 0; i < command->n_subcommands; i++)
			suggest_offer(&near, command->subcommands[i]->name);
		if (near.names[0])
			return cli_error(CLI_USAGE, 0, "unknown command '%s'; did you mean '%s'?",
					 word, near.names[0]);
		return cli_error(CLI_USAGE, 0, "unknown command '%s'", word);
	}
	/* The last row may take many words; it stays the one to fill. */
	if (p->n_positionals == command->n_positionals && p->n_positionals > 0 &&
	    command->positionals[p->n_positionals - 1].type == CLI_TYPE_STRINGS)
		return store(p, &command->positionals[p->n_positionals - 1], word);
	if (p->n_positionals == command->n_positionals)
		return cli_error(CLI_USAGE, 0, "unexpected argument '%s'", word);
	/* A word that slipped in is not mistaken for the beginning of the rest. */
	if (command->positionals[p->n_positionals].type == CLI_TYPE_REST && !p->options_ended)
		return cli_error(CLI_USAGE, 0,
				 "unexpected argument '%s'; arguments of the command go after --",
				 word);
	return store(p, &command->positionals[p->n_positionals++], word);
}

static struct error *check_required(struct parser *p)
{
	const struct cli_command *command = p->command;

	for (size_t i = 0; i < command->n_options; i++) {
		const struct cli_option *row = &command->options[i];

		if (row->required && !p->seen[i])
			return cli_error(CLI_USAGE, 0, "--%s %s is required", row->name,
					 row->argument);
	}
	for (size_t i = p->n_positionals; i < command->n_positionals; i++) {
		if (command->positionals[i].required)
			return cli_error(CLI_USAGE, 0, "%s is required",
					 command->positionals[i].argument);
	}
	if (command->n_subcommands)
		return cli_error(CLI_USAGE, 0, "a command is required");
	return command->check ? command->check(p->config) : NULL;
}

struct error *cli_parse(const struct cli_command *command, int argc, char *const argv[],
			void *config, struct cli_parsed *ret)
{
	_cleanup_free_ bool *seen = xcalloc(command->n_options + 1, sizeof(*seen));
	struct cli_parsed out = { .intent = CLI_INTENT_RUN };
	struct parser p = {
		.command = command,
		.argc = argc,
		.argv = argv,
		.at = 1,
		.config = config,
		.seen = seen,
		.out = &out,
	};

	while (p.at < argc && !p.done) {
		const char *arg = argv[p.at++];
		struct error *err;

		if (p.options_ended || arg[0] != '-' || !arg[1])
			err = take_word(&p, arg);
		else if (strcmp(arg, "--") == 0)
			err = NULL, p.options_ended = true;
		else if (arg[1] == '-')
			err = take_long(&p, arg + 2);
		else
			err = take_letters(&p, arg + 1);
		if (err)
			return err;
	}
	if (!p.done) {
		struct error *err = check_required(&p);

		if (err)
			return err;
	}
	*ret = out;
	return NULL;
}
