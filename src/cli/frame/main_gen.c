// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs at build time only: `gen PROGRAM bash|fish|zsh` prints its completion, `gen
 * PROGRAM man FILE` prints a man page source with @OPTIONS@, @EXITS@,
 * @COMMANDS@, @WORDS@, @FATAL@, @REASONS@, @REASON_WORDS@, @VERSION@ and the vocabularies of
 * metrics replaced from the tables, so that they cannot drift.
 */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/io.h"
#include "cli/ctprof/metric_list.h"
#include "cli/frame/commands.h"
#include "cli/jemalloc_probe/jemalloc_probe.h"
#include "cli/results/results.h"
#include "result/outcome.h"

enum { MAN_SOURCE_MAX_BYTES = 1 << 20 };

static const struct cli_command *const programs[] = {
	&cli_program_ktstr,
	&cli_program_jemalloc_probe,
};

static void format_version_number(struct strbuf *into)
{
	strbuf_append(into, KTSTR_VERSION);
}

#define WORD_LINE_(id, tag, meaning) "- *" tag "*: " meaning "\n"

/* The words behind "ktstr-probe-fatal:". */
static void format_fatal_words(struct strbuf *into)
{
	strbuf_append(into, FATAL_ALL(WORD_LINE_) "\n");
}

/* The words of "error_kind". */
static void format_thread_words(struct strbuf *into)
{
	strbuf_append(into, PROBE_THREAD_ERRORS(WORD_LINE_) "\n");
}

/* Why tests end as they do, for those who declare them. */
static void format_reasons(struct strbuf *into)
{
#define KTSTR_REASON(id, word, verdict, meaning)                              \
	strbuf_appendf(into, "- *KTSTR_REASON_%s* (%s, %s): %s\n", #id, word, \
		       result_verdict_name(KTSTR_##verdict), meaning);
#include <ktstr/reasons.def>
#undef KTSTR_REASON
	strbuf_append_char(into, '\n');
}

/* The same for those who read reports and records: by word. */
static void format_reason_words(struct strbuf *into)
{
#define KTSTR_REASON(id, word, verdict, meaning)                                              \
	strbuf_appendf(into, "- *%s* (%s): %s\n", word, result_verdict_name(KTSTR_##verdict), \
		       meaning);
#include <ktstr/reasons.def>
#undef KTSTR_REASON
	strbuf_append_char(into, '\n');
}

/* Each is made of a command, or is the same for all. */
static const struct {
	const char *mark;
	void (*of)(const struct cli_command *command, struct strbuf *into);
	void (*format)(struct strbuf *into);
} parts[] = {
	{ "@OPTIONS@\n", .of = cli_format_man_options },
	{ "@EXITS@\n", .of = cli_format_man_exits },
	{ "@COMMANDS@\n", .of = cli_format_man_commands },
	{ "@WORDS@\n", .of = cli_format_man_words },
	{ "@FATAL@\n", .format = format_fatal_words },
	{ "@REASONS@\n", .format = format_reasons },
	{ "@REASON_WORDS@\n", .format = format_reason_words },
	{ "@RECORD@\n", .format = record_format_man },
	{ "@KINDS@\n", .format = metric_list_format_man_kinds },
	{ "@TAGS@\n", .format = metric_list_format_man_tags },
	{ "@SECTIONS@\n", .format = metric_list_format_man_sections },
	{ "@SOURCES@\n", .format = metric_list_format_man_sources },
	{ "@METRICS@\n", .format = metric_list_format_man_metrics },
	{ "@DERIVED@\n", .format = metric_list_format_man_derived },
	{ "@CGROUPS@\n", .format = metric_list_format_man_cgroups },
	{ "@PRESSURE@\n", .format = metric_list_format_man_pressure },
	{ "@HOST@\n", .format = metric_list_format_man_host },
	{ "@THREAD@\n", .format = format_thread_words },
	{ "@VERSION@", .format = format_version_number },
};

static void format_man(const struct cli_command *program, const char *source, struct strbuf *into)
{
	/* scdoc takes comments everywhere but in front of the title. */
	while (*source == ';')
		source = strchrnul(source, '\n') + 1;
	while (*source) {
		size_t i;

		for (i = 0; i < ARRAY_SIZE(parts); i++) {
			size_t n = strlen(parts[i].mark);

			if (strncmp(source, parts[i].mark, n) != 0)
				continue;
			if (parts[i].of)
				parts[i].of(program, into);
			else
				parts[i].format(into);
			source += n;
			break;
		}
		if (i == ARRAY_SIZE(parts))
			strbuf_append_char(into, *source++);
	}
}

/* The command behind the dash; its own name may have dashes, too. */
static const struct cli_command *enter(const struct cli_command *command, const char **path)
{
	for (size_t i = 0; i < command->n_subcommands; i++) {
		const char *name = command->subcommands[i]->name;
		size_t n = strlen(name);

		if (strncmp(*path + 1, name, n) == 0 && strchr("-", (*path)[1 + n])) {
			*path += 1 + n;
			return command->subcommands[i];
		}
	}
	return NULL;
}

/* "ktstr-vm-list" is the command `list` of the command `vm` of ktstr; NULL when there is none. */
static const struct cli_command *find_command(const char *path)
{
	const struct cli_command *found = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(programs) && !found; i++) {
		if (strcmp(programs[i]->name, path) == 0)
			found = programs[i];
	}
	if (!found && strncmp(path, "ktstr-", 6) == 0) {
		found = &cli_program_ktstr;
		path += 5;
		while (found && *path == '-')
			found = enter(found, &path);
	}
	return found;
}

static const struct {
	const char *name;
	void (*format)(const struct cli_command *program, struct strbuf *into);
} shells[] = {
	{ "bash", cli_format_bash_completion },
	{ "fish", cli_format_fish_completion },
	{ "zsh", cli_format_zsh_completion },
};

int main(int argc, char *argv[])
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT, source = STRBUF_INIT;
	_cleanup_error_ struct error *err = NULL;
	const struct cli_command *program = argc > 1 ? find_command(argv[1]) : NULL;

	for (size_t i = 0; program && argc == 3 && i < ARRAY_SIZE(shells); i++) {
		if (strcmp(argv[2], shells[i].name) != 0)
			continue;
		shells[i].format(program, &out);
		return cli_print(&out);
	}
	if (!program || argc != 4 || strcmp(argv[2], "man") != 0) {
		fputs("usage: ktstr-gen PROGRAM bash|fish|zsh | PROGRAM[-COMMAND…] man FILE\n",
		      stderr);
		return CLI_EXIT_USAGE;
	}
	err = io_read_file(argv[3], MAN_SOURCE_MAX_BYTES, &source);
	if (err)
		return cli_fail(err);
	format_man(program, strbuf_str(&source), &out);
	return cli_print(&out);
}
