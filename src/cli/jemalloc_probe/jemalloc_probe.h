/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the program ktstr-jemalloc-probe share. */
#ifndef KTSTR_CLI_JEMALLOC_PROBE_JEMALLOC_PROBE_H
#define KTSTR_CLI_JEMALLOC_PROBE_JEMALLOC_PROBE_H

#include <sys/types.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/macros.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "cli/frame/commands.h"
#include "probe/probe.h"
#include "text/table.h"

enum {
	SNAPSHOTS_MAX = 100000,
	MILLISECONDS_MAX = 3600000, /* an hour */
	/* Threads of all snapshots together that one result holds: about half a gigabyte. */
	REPORT_THREADS_MAX = 2 << 20,
};

/* The command line; its rows are in program.c. */
struct probe_config {
	int32_t pid;
	uint32_t snapshots;
	uint64_t interval_ms;	 /* 0: not given */
	uint64_t abort_after_ms; /* 0: not given */
	const char *sidecar;	 /* NULL: not given */
	const char *object;	 /* NULL: not given */
	bool json;
	bool verbose;
	bool ptrace;
	bool no_ptrace;
	size_t threads_max; /* no option; 0 means REPORT_THREADS_MAX */
};

/* What one run of the probe found, before it is printed. */

struct probe_report {
	pid_t pid;
	uint64_t started_at_unix_sec;
	uint64_t started_ns;  /* CLOCK_MONOTONIC */
	uint64_t interval_ms; /* 0: a single snapshot was asked for */
	bool interrupted;     /* a signal, the deadline, the limit or its end ended it early */
	bool limited;	      /* it was the limit on what one result holds */
	bool target_ended;    /* the process ended before all snapshots were taken */
	const char *evidence; /* NULL: interrupted before the counters were found */
	/* NULL as well: which program or library was read, and what told where its counters are. */
	char *object, *offsets_from;
	VEC(struct probe_other) others;
	uint64_t stopped_threads;
	uint64_t stopped_ns_total;
	VEC(struct probe_snapshot) snapshots;
	size_t n_threads; /* of all snapshots together */
};

void probe_report_deinit(struct probe_report *report);
/* True when at least one thread of one snapshot has its counters. */
bool probe_report_any_read(const struct probe_report *report);
/* Snapshots that no cancel cut short. */
size_t probe_report_whole_snapshots(const struct probe_report *report);
/* True when no thread that was read has ever allocated. */
bool probe_report_all_zero(const struct probe_report *report);
/* True when some thread was refused for lack of permission. */
bool probe_report_any_refused(const struct probe_report *report);

/*
 * Why a run ends without a result. The word behind "ktstr-probe-fatal:" is one
 * of the attach vocabulary or one of these; it never changes once released.
 */

#define FATAL_ERRORS(X)                                                                     \
	X(FATAL_SELF_PROBE_REJECTED, "self-probe-rejected", "the probe cannot read itself") \
	X(FATAL_TID_ENUMERATION_FAILURE, "tid-enumeration-failure",                         \
	  "the threads of the process cannot be listed")                                    \
	X(FATAL_OTHER, "other", "none of the above")
DECLARE_ERROR_DOMAIN(fatal, FATAL, FATAL_ERRORS);

/* Every word there is, for those who list them: X(id, tag, meaning). */
#define FATAL_ALL(X) PROBE_ATTACH_ERRORS(X) FATAL_ERRORS(X)

/* The word for any error: its own tag if that is in the vocabulary, else "other". */
const char *fatal_tag(const struct error *err);

/* What the user can do about a refusal of the system. */

/* Who may read this process by the rules of this system, or which tracer already does. */
void hint_permission(const char *proc_root, pid_t pid, struct strbuf *into);
/* Why the executable of a live process cannot be looked at; empty when nothing is known. */
void hint_exe(const char *proc_root, pid_t pid, int errnum, struct strbuf *into);

/* Which exit code a run gets: pure decisions over a few facts. */

enum {
	EXIT_SIDECAR = 3, /* beside the codes every command has */
};

struct run_outcome {
	size_t n_snapshots; /* that were not cut short */
	bool any_read;
	bool interrupted;
	bool wants_sidecar;
	bool output_failed;
};

enum sidecar_plan {
	SIDECAR_NOTHING,
	SIDECAR_APPEND,
	SIDECAR_REFUSE, /* half a run is not recorded */
};

/* A snapshot was begun and no thread could be read in any. */
bool outcome_all_failed(const struct run_outcome *outcome);
enum sidecar_plan outcome_sidecar_plan(const struct run_outcome *outcome);
/* The exit code a record keeps of this run. */
int outcome_recorded_code(const struct run_outcome *outcome);
int outcome_exit_code(const struct run_outcome *outcome, bool sidecar_failed);

/* The three forms of a report. */

enum { PROBE_SCHEMA_VERSION = 3 };

/* One pretty-printed document and a newline. */
void output_json(const struct probe_report *report, struct strbuf *into);

/* The line of one thread, without its newline: counters, or what went wrong. */
void output_thread_line(const struct probe_thread *thread, struct strbuf *into);
/*
 * key=value lines to out_fd and a warning line to err_fd for each thread that
 * could not be read, in the order of the report.
 */
struct error *output_lines(const struct probe_report *report, int out_fd, int err_fd) MUST_CHECK;

/* For a terminal: one row per thread, with rates when there were several snapshots. */
void output_table(const struct probe_report *report, const struct text_look *look,
		  struct strbuf *into);
/* Warnings alone; the table shows only threads that were read. */
void output_warnings(const struct probe_report *report, struct strbuf *into);

/*
 * Attaches and takes the snapshots. An error is fatal and leaves
 * nothing to print but details, lines about what was tried (may be NULL). A cancelled run is not
 * an error: the report says interrupted; nor is a process that ends after the first snapshot.
 */
struct error *probe_collect(const struct probe_config *config, const struct cancel *cancel,
			    struct strbuf *details, struct probe_report *ret) MUST_CHECK;

/*
 * Adds the report's numbers to a record as flat metrics under "jemalloc_probe.".
 * On error the file is as it was.
 */
struct error *sidecar_append(const char *path, const struct probe_report *report, int exit_code,
			     const struct cancel *cancel, struct error **ret_warning) MUST_CHECK;

/*
 * SIGINT, SIGTERM and the deadline ask the work to end; none of them ends the
 * program. Handlers are set without SA_RESTART, so that a blocking call returns
 * and the request is seen. A second SIGINT or SIGTERM kills as usual.
 */

/* `cancel` must live as long as the program. abort_after_ms 0 means no deadline. */
struct error *signals_install(struct cancel *cancel, uint64_t abort_after_ms) MUST_CHECK;
/*
 * Prints that the deadline passed, if it did and was not printed yet. The work may
 * see the deadline by the clock before the timer's signal arrives.
 */
void signals_report_deadline(void);

/* The whole run: probe, print, append. The value is the exit code. */
int probe_run(const struct cli_invocation *invocation, const void *config);

#endif
