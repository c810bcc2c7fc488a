// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs at build time only: `gen PROGRAM bash|fish|zsh` prints its completion, `gen
 * PROGRAM man FILE` prints a man page source with @OPTIONS@, @EXITS@,
 * @COMMANDS@, @WORDS@, @FATAL@, @REASONS@, @VERSION@ and the vocabularies of metrics replaced from
 * the tables, so that they cannot drift.
 */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/io.h"
#include "cli/ctprof/metric_list.h"
#include "cli/frame/commands.h"
#include "cli/jemalloc_probe/jemalloc_probe.h"
#include "cli/results/record_man.h"
#include "result/outcome.h"

enum { MAN_SOURCE_MAX_BYTES = 1 << 20 };

static const struct cli_command *const programs[] = {
	&cli_program_ktstr,
	&cli_program_jemalloc_probe,
};

static void format_version_number(const struct cli_command *command UNUSED, struct strbuf *into)
{
	strbuf_append(into, KTSTR_VERSION);
}

/* The words behind "ktstr-probe-fatal:". */
static void format_fatal_words(const struct cli_command *command UNUSED, struct strbuf *into)
{
#define FATAL_LINE_(id, tag, meaning) strbuf_append(into, "- *" tag "*: " meaning "\n");
	FATAL_ALL(FATAL_LINE_)
#undef FATAL_LINE_
	strbuf_append_char(into, '\n');
}

/* The words of "error_kind". */
static void format_thread_words(const struct cli_command *command UNUSED, struct strbuf *into)
{
#define THREAD_LINE_(id, tag, meaning) strbuf_append(into, "- *" tag "*: " meaning "\n");
	PROBE_THREAD_ERRORS(THREAD_LINE_)
#undef THREAD_LINE_
	strbuf_append_char(into, '\n');
}

/* Why tests end as they do, for those who declare them. */
static void format_reasons(const struct cli_command *command UNUSED, struct strbuf *into)
{
#define KTSTR_REASON(id, word, verdict, meaning)                              \
	strbuf_appendf(into, "- *KTSTR_REASON_%s* (%s, %s): %s\n", #id, word, \
		       result_verdict_name(KTSTR_##verdict), meaning);
#include <ktstr/reasons.def>
#undef KTSTR_REASON
	strbuf_append_char(into, '\n');
}

/* Parts that no command has to do with. */
#define METRIC_PART_(name)                                                                       \
	static void format_##name(const struct cli_command *command UNUSED, struct strbuf *into) \
	{                                                                                        \
		metric_list_format_man_##name(into);                                             \
	}
METRIC_PART_(kinds)
METRIC_PART_(tags)
METRIC_PART_(sections)
METRIC_PART_(sources)
METRIC_PART_(metrics)
METRIC_PART_(derived)
METRIC_PART_(cgroups)
METRIC_PART_(pressure)
METRIC_PART_(host)
#undef METRIC_PART_

static void format_record(const struct cli_command *command UNUSED, struct strbuf *into)
{
	record_format_man(into);
}

static const struct {
	const char *mark;
	void (*format)(const struct cli_command *command, struct strbuf *into);
} parts[] = {
	{ "@OPTIONS@\n", cli_format_man_options },
	{ "@EXITS@\n", cli_format_man_exits },
	{ "@COMMANDS@\n", cli_format_man_commands },
	{ "@WORDS@\n", cli_format_man_words },
	{ "@FATAL@\n", format_fatal_words },
	{ "@REASONS@\n", format_reasons },
	{ "@RECORD@\n", format_record },
	{ "@KINDS@\n", format_kinds },
	{ "@TAGS@\n", format_tags },
	{ "@SECTIONS@\n", format_sections },
	{ "@SOURCES@\n", format_sources },
	{ "@METRICS@\n", format_metrics },
	{ "@DERIVED@\n", format_derived },
	{ "@CGROUPS@\n", format_cgroups },
	{ "@PRESSURE@\n", format_pressure },
	{ "@HOST@\n", format_host },
	{ "@THREAD@\n", format_thread_words },
	{ "@VERSION@", format_version_number },
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

			if (strncmp(source, parts[i].mark, n) == 0) {
				parts[i].format(program, into);
				source += n;
				break;
			}
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
