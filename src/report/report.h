/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How a run is shown while it goes on and when it is over.
 *
 *	struct report_options options = report_options_for(STDOUT_FILENO);
 *	err = report_run_new(REPORT_PRETTY, &options, &r);
 *	report_run_begin(r, &plan);
 *	for each test, several at once and in any order:
 *		report_run_started(r, index, name, now_ns);
 *		report_run_progress(r, index, "boot");
 *		report_run_finished(r, index, &outcome);
 *	report_run_tick(r, now_ns);             from the main loop, as often as it likes
 *	err = report_run_end(r, &ending);
 *
 * All calls come from one thread. Several reporters may live side by side, say one for people and
 * one for a file. What cannot be written is remembered, the run goes on, and report_run_end() says
 * it; report_run_failed() is for a runner that would rather stop. All texts are foreign: no name
 *and no message can forge a line, a directive, an element or a terminal's command. An index past
 *the plan, or one that finishes twice, is a bug of the caller and ends the program.
 */
#ifndef KTSTR_REPORT_REPORT_H
#define KTSTR_REPORT_REPORT_H

#include "base/cancel.h"
#include "base/error.h"
#include "result/outcome.h"

enum report_format {
#define REPORT_FORMAT(id, word, help) REPORT_##id,
#include "report/report_formats.def"
#undef REPORT_FORMAT
	REPORT_N_FORMATS,
};

/* What --format takes; NULL at the end. */
extern const char *const report_format_names[REPORT_N_FORMATS + 1];

struct report_options {
	int fd; /* borrowed; not used with a path */
	/*
	 * A file to be written instead; NULL: none. JUnit replaces it whole at the end, the others
	 * empty it and write as they go.
	 */
	const char *path;
	bool terminal;	/* pretty: there is a live line */
	bool colour;	/* pretty */
	size_t columns; /* pretty: 0 asks the terminal each time, so that it may be resized */
	bool verbose;	/* pretty: notes and paths of every test */
	bool quiet;	/* pretty: only what is neither passed nor skipped, and the summary */
	/* Borrowed; once requested, a stuck reader is not waited for long. May be NULL. */
	const struct cancel *cancel;
};

/* What fits the descriptor: a live line on a terminal that is not dumb, colour as terminal.h. */
struct report_options report_options_for(int fd);

struct report_plan {
	size_t n_tests;
	const char *kernels; /* for people: "6.12.1"; NULL: unsaid */
	unsigned int jobs;
	const char *dir;	   /* where the records are; NULL: there are none */
	uint64_t started_unix_sec; /* 0: unsaid */
	size_t n_alone;	   /* tests that have no other beside them, though there are several jobs */
	const char *clock; /* of the guests: "real", "virtual"; static; NULL: unsaid */
};

struct report_ending {
	uint64_t wall_ns;
	bool interrupted; /* tests of the plan may have no outcome */
};

struct report_run;

/* BASE_IO when the path cannot be opened. */
struct error *report_run_new(enum report_format format, const struct report_options *options,
			     struct report_run **ret) MUST_CHECK;
void report_run_free(struct report_run *r);
DEFINE_CLEANUP(report_reporter, struct report_run *, NULL, report_run_free);
#define _cleanup_report_reporter_ _cleanup_(cleanup_report_reporter)

/* Everything is copied. BASE_LIMIT when the plan is too large. */
struct error *report_run_begin(struct report_run *r, const struct report_plan *plan) MUST_CHECK;
void report_run_started(struct report_run *r, size_t index, const char *name, uint64_t now_ns);
/* The stage it is in, or anything else short. */
void report_run_progress(struct report_run *r, size_t index, const char *stage);
void report_run_tick(struct report_run *r, uint64_t now_ns);
/* A test that never started may finish too: a skip needs no guest. */
void report_run_finished(struct report_run *r, size_t index, const struct result_outcome *outcome);
/*
 * The first thing that could not be written, if any. Nothing but report_run_free() follows; without
 * an end that takes the live line off the screen.
 */
struct error *report_run_end(struct report_run *r, const struct report_ending *ending) MUST_CHECK;

bool report_run_failed(const struct report_run *r);

#endif
