// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/jemalloc_probe/jemalloc_probe.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/io.h"
#include "base/slice.h"
#include "result/record.h"
#include "text/terminal.h"

#define PROC_ROOT "/proc"

/* Handlers may run until the program ends. */
static struct cancel stop;

/* A line for each file that gave no answer. */
static void print_details(const struct probe_config *config, const struct strbuf *details)
{
	struct slice rest = slice_of(strbuf_str(details)), line;

	while (config->verbose && slice_take_line(&rest, &line))
		cli_say("tried: %.*s", (int)line.n, line.at);
}

static int end_fatal(const struct probe_config *config, const struct error *err,
		     const struct strbuf *details)
{
	pid_t pid = config->pid;
	_cleanup_strbuf_ struct strbuf hint = STRBUF_INIT;
	int errnum = error_errno(err);

	fprintf(stderr, "ktstr-probe-fatal: %s\n", fatal_tag(err));
	cli_print_error(error_message(err));
	if (error_is(err, &probe_attach_error_domain, PROBE_ATTACH_READLINK_FAILURE))
		hint_exe(PROC_ROOT, pid, errnum, &hint);
	else if (errnum == EPERM || errnum == EACCES)
		hint_permission(PROC_ROOT, pid, &hint);
	else if (details->n && !config->verbose)
		strbuf_append(&hint, "-v says which files were tried");
	if (hint.n)
		cli_say("hint: %s", strbuf_str(&hint));
	print_details(config, details);
	return CLI_EXIT_FAILED;
}

static struct error *print_table(const struct probe_report *report)
{
	struct text_look look = text_look_for(STDOUT_FILENO);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT, warnings = STRBUF_INIT;
	struct error *err;

	output_table(report, &look, &text);
	err = io_write_all(STDOUT_FILENO, "standard output", text.at, text.n);
	output_warnings(report, &warnings);
	fputs(strbuf_str(&warnings), stderr);
	return err;
}

static struct error *print_report(const struct probe_config *config,
				  const struct probe_report *report)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (!config->json && text_terminal_is(STDOUT_FILENO))
		return print_table(report);
	if (!config->json)
		return output_lines(report, STDOUT_FILENO, STDERR_FILENO);
	output_json(report, &text);
	return io_write_all(STDOUT_FILENO, "standard output", text.at, text.n);
}

static void say_all_failed(const struct probe_config *config, const struct probe_report *report)
{
	bool several = config->snapshots > 1;
	_cleanup_strbuf_ struct strbuf hint = STRBUF_INIT;

	fprintf(stderr, "ktstr-probe-all-failed: %s\n", several ? "multi" : "single");
	fprintf(stderr, "error: all threads failed probe%s\n", several ? " in every snapshot" : "");
	if (probe_report_any_refused(report))
		hint_permission(PROC_ROOT, config->pid, &hint);
	if (hint.n)
		cli_say("hint: %s", strbuf_str(&hint));
}

/* True when the file now holds what it should. */
static bool append_sidecar(const struct probe_config *config, const struct probe_report *report,
			   const struct run_outcome *outcome)
{
	_cleanup_error_ struct error *warning = NULL;
	_cleanup_error_ struct error *err = NULL;

	switch (outcome_sidecar_plan(outcome)) {
	case SIDECAR_NOTHING:
		return true;
	case SIDECAR_APPEND:
		err = sidecar_append(config->sidecar, report, outcome_recorded_code(outcome), &stop,
				     &warning);
		break;
	case SIDECAR_REFUSE:
		err = base_error(BASE_CANCELLED, 0,
				 "the run was interrupted; the file is unchanged");
		break;
	}
	if (!err && warning)
		cli_say("warning: sidecar %s: %s", config->sidecar, error_message(warning));
	if (!err)
		return true;
	if (outcome_exit_code(outcome, true) == EXIT_SIDECAR)
		cli_say("sidecar append failed (exit 3): %s: %s", config->sidecar,
			error_message(err));
	else
		cli_say("error appending to sidecar %s: %s", config->sidecar, error_message(err));
	return false;
}

/* Numbers of one jemalloc say nothing about another, nor about a process that uses none. */
static void say_objects(const struct probe_config *config, const struct probe_report *report)
{
	if (!report->object)
		return;
	if (config->verbose)
		cli_say("offsets from: %s", report->offsets_from);
	if (probe_report_all_zero(report))
		cli_say("warning: no thread has allocated with the jemalloc in %s", report->object);
	for (size_t i = 0; i < report->others.n; i++) {
		const struct probe_other *other = &report->others.at[i];

		if (other->unread)
			cli_say("warning: the jemalloc in %s was not read: where it keeps its "
				"counters is unknown",
				other->path);
		else if (other->use == PROBE_USE_SOME)
			cli_say("warning: the jemalloc in %s is in use too and was not read: "
				"see --object",
				other->path);
	}
}

static int end_with_report(const struct probe_config *config, const struct probe_report *report)
{
	struct run_outcome outcome = {
		.n_snapshots = probe_report_whole_snapshots(report),
		.any_read = probe_report_any_read(report),
		.interrupted = report->interrupted,
		.wants_sidecar = config->sidecar,
	};
	_cleanup_error_ struct error *err = print_report(config, report);
	bool appended;

	say_objects(config, report);
	if (report->target_ended)
		cli_say("warning: process %d ended after %zu of %u snapshots", report->pid,
			report->snapshots.n, config->snapshots);
	if (report->limited)
		cli_say("warning: ended after %zu snapshots: a result cannot hold more threads",
			report->snapshots.n);
	if (err) {
		outcome.output_failed = true;
		cli_say("error writing output: %s", error_message(err));
	}
	appended = append_sidecar(config, report, &outcome);
	if (outcome_all_failed(&outcome))
		say_all_failed(config, report);
	return outcome_exit_code(&outcome, !appended);
}

/*
 * The engine keeps one descriptor per thread while it may; an ordinary login
 * starts with 1024, and raising that to the hard limit needs no privilege.
 */
static void allow_many_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur == limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

int probe_run(const struct cli_invocation *invocation UNUSED, const void *config_)
{
	const struct probe_config *config = config_;
	_cleanup_(probe_report_deinit) struct probe_report report = { 0 };
	_cleanup_strbuf_ struct strbuf details = STRBUF_INIT;
	_cleanup_error_ struct error *err = NULL;

	/* A mistyped name must not cost a whole run. */
	err = config->sidecar ? result_record_exists(config->sidecar) : NULL;
	if (err) {
		cli_print_error(error_message(err));
		return CLI_EXIT_USAGE;
	}
	allow_many_descriptors();
	err = signals_install(&stop, config->abort_after_ms);
	if (!err)
		err = probe_collect(config, &stop, &details, &report);
	signals_report_deadline();
	if (err)
		return end_fatal(config, err, &details);
	print_details(config, &details);
	return end_with_report(config, &report);
}

static const struct cli_option options[] = {
	CLI_OPTION("pid", "PID", CLI_I32(struct probe_config, pid, 1, INT32_MAX),
		   "the process to read", .required = true, .complete = CLI_COMPLETE_PID),
	CLI_OPTION("json", NULL, CLI_FLAG(struct probe_config, json),
		   "print one JSON document instead of text"),
	CLI_OPTION("snapshots", "N", CLI_U32(struct probe_config, snapshots, 1, SNAPSHOTS_MAX),
		   "how many snapshots to take; more than one needs --interval-ms"),
	CLI_OPTION("interval-ms", "MS",
		   CLI_U64(struct probe_config, interval_ms, 1, MILLISECONDS_MAX),
		   "milliseconds between two snapshots"),
	CLI_OPTION("abort-after-ms", "MS",
		   CLI_U64(struct probe_config, abort_after_ms, 1, MILLISECONDS_MAX),
		   "end after this many milliseconds with what was read until then"),
	CLI_OPTION("sidecar", "PATH", CLI_STRING(struct probe_config, sidecar),
		   "append the numbers to this record of a test run; it must exist",
		   .complete = CLI_COMPLETE_FILE),
	CLI_OPTION(
		"object", "NAME", CLI_STRING(struct probe_config, object),
		"read the jemalloc of this program or library, by path or file name; by default the one with the most allocations",
		.complete = CLI_COMPLETE_FILE),
	CLI_OPTION("verbose", NULL, CLI_FLAG(struct probe_config, verbose),
		   "say which file gave the offsets, and what was tried", .letter = 'v'),
	CLI_OPTION("ptrace", NULL, CLI_FLAG(struct probe_config, ptrace),
		   "stop every thread for a moment, even where reading needs no stop"),
	CLI_OPTION("no-ptrace", NULL, CLI_FLAG(struct probe_config, no_ptrace),
		   "never stop a thread; one that cannot be read otherwise is an error entry"),
};

static const struct cli_exit_row exits[] = {
	{ CLI_EXIT_OK, "at least one thread was read, or the run was interrupted before it began" },
	{ CLI_EXIT_FAILED, "nothing could be read, or the result could not be written" },
	{ CLI_EXIT_USAGE, "the command line is wrong, or the sidecar does not exist" },
	{ EXIT_SIDECAR, "the numbers were printed but not appended to the sidecar" },
};

static const struct probe_config defaults = { .snapshots = 1 };

static struct error *check(void *config_)
{
	const struct probe_config *config = config_;

	if (config->snapshots > 1 && config->interval_ms == 0)
		return cli_error(CLI_USAGE, 0,
				 "--snapshots %u requires --interval-ms MS, the time between them",
				 config->snapshots);
	if (config->snapshots == 1 && config->interval_ms)
		return cli_error(CLI_USAGE, 0,
				 "--interval-ms %llu is only meaningful with --snapshots > 1; "
				 "leave it out or add --snapshots N",
				 (unsigned long long)config->interval_ms);
	if (config->ptrace && config->no_ptrace)
		return cli_error(CLI_USAGE, 0,
				 "--ptrace and --no-ptrace exclude each other; give one of them");
	return NULL;
}

const struct cli_command cli_program_jemalloc_probe = {
	.name = "ktstr-jemalloc-probe",
	.summary = "Read jemalloc's per-thread allocation counters out of a running process",
	.usage = "--pid PID [options]",
	.description =
		"Shows for each thread how many bytes it has allocated and freed since it was created. The program under the probe is not changed and, with glibc 2.34 or newer, not stopped. Works with jemalloc in the executable or in a shared library, with or without debug information.\n\nNeeds the right to trace the process: the same user, or CAP_SYS_PTRACE where Yama restricts it.",
	.examples = "  ktstr-jemalloc-probe --pid 1234\n"
		    "  ktstr-jemalloc-probe --pid 1234 --snapshots 5 --interval-ms 200 --json\n"
		    "  ktstr-jemalloc-probe --pid 1234 --snapshots 10 --interval-ms 500 \\\n"
		    "          --abort-after-ms 3000\n"
		    "  ktstr-jemalloc-probe --pid 1234 --sidecar run/test.ktstr.json\n",
	CLI_OPTIONS(options),
	CLI_EXITS(exits),
	.config_size = sizeof(struct probe_config),
	.defaults = &defaults,
	.check = check,
	.run = probe_run,
};
