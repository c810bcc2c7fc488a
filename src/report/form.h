/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Inside the room: what the formats share. */
#ifndef KTSTR_REPORT_FORM_H
#define KTSTR_REPORT_FORM_H

#include "report/report.h"

/* Every bound of the room. */

enum {
	/* Tests of one plan. */
	REPORT_LIMIT_TESTS = 1 << 20,
	/* One foreign text in the formats that carry texts whole: what is more is counted. */
	REPORT_LIMIT_TEXT_BYTES = 64 << 10,
	/* Lines of one foreign text that people are shown; the record has the rest. */
	REPORT_LIMIT_TEXT_LINES = 12,
	/* Parts, and notes, of one test that people are shown unless they ask for more. */
	REPORT_LIMIT_ITEMS = 8,
	/* Failures are repeated at the end if this many tests come after them. */
	REPORT_RECAP_DISTANCE = 20,
	REPORT_NAME_COLUMNS_MIN = 24,
	REPORT_NAME_COLUMNS_MAX = 60,
	/* The live line is not redrawn more often. */
	REPORT_LIVE_INTERVAL_MS = 100,
	/* How long a stuck reader is waited for after Ctrl-C. */
	REPORT_HURRY_MS = 500,
};

/* Counts and times of a run, for people. */

/* "5.3 s", "999.9 s", "16 min 40 s", "2 h 03 min"; rounded down. */
void report_format_duration(struct strbuf *into, uint64_t ns);
/* Seconds of something that still runs: "5 s", "12 min 05 s". */
void report_format_elapsed(struct strbuf *into, uint64_t ns);
/* "12 tests: 9 passed, 1 failed, 1 skipped, 1 broken, 1 inconclusive, 3 not run". */
void report_format_counts(struct strbuf *into, const size_t counts[RESULT_N_VERDICTS],
			  size_t n_tests);

/*
 * Text that is legal in XML 1.0 (production 2, Char), in an attribute or between tags: markup and
 * control characters become references, what no reference can name and what is no UTF-8 becomes
 * U+FFFD. A parser that normalises blanks and line ends gives back the same text.
 */

void report_append_xml(struct strbuf *into, const char *text);
/* ` name="text"` */
void report_append_xml_attribute(struct strbuf *into, const char *name, const char *text);

/* Writing to a reader that may be stuck: a pager that waits, a stopped terminal. */

/*
 * Waits for as long as it takes, but not for long once `cancel` (may be NULL) is requested:
 * BASE_CANCELLED. BASE_IO. A descriptor that does not block is waited for as well.
 */
struct error *report_deliver(int fd, const char *label, const void *bytes, size_t n,
			     const struct cancel *cancel) MUST_CHECK;

/*
 * The line at the bottom of a terminal that says what is running. It is cut to fit and the cursor
 * is left at its first column: a terminal that breaks it anew when it gets narrower keeps the
 * cursor at the first of the pieces, so that clearing from there to the end of the screen takes all
 * of them away and nothing else.
 */

struct report_live_test {
	size_t index;
	char *name; /* escaped */
	char *stage;
	uint64_t since_ns;
};

struct report_live {
	VEC(struct report_live_test) running; /* the oldest first */
	uint64_t now_ns;
	uint64_t drawn_ns;
	uint64_t idle_ns;    /* since when nothing runs; 0: not known yet */
	struct strbuf shown; /* empty: nothing is on the screen */
};

void report_live_deinit(struct report_live *live);

void report_live_start(struct report_live *live, size_t index, const char *name, uint64_t now_ns);
void report_live_set_stage(struct report_live *live, size_t index, const char *stage);
/* Nothing when it never started. */
void report_live_stop(struct report_live *live, size_t index);

/*
 * The line as text, at most so many columns. With none running it is only the count, and after a
 * while what is waited for.
 */
void report_live_format(const struct report_live *live, size_t n_done, size_t n_tests,
			size_t columns, struct strbuf *into);

/* Appends what takes the line off the screen, if it is there. */
void report_live_clear(struct report_live *live, struct strbuf *out);
/* Appends what shows `line`, unless it is what is shown already. */
void report_live_draw(struct report_live *live, const char *line, struct strbuf *out);
/* Time goes on; true when the line may be drawn again. */
bool report_live_is_due(struct report_live *live, uint64_t now_ns);

/*
 * What is said below the line of a test that did not pass: the reason first, then what else was
 * wrong, then where to look and how to do it again.
 */

enum { REPORT_EXPLAIN_INDENT = 8 };

struct report_explain_look {
	size_t columns; /* longer texts are broken at spaces; 0: never */
	bool colour;
	bool verbose; /* nothing is left out */
};

/* "        check: spread of left is 41 %, at fair.c:31\n" */
void report_explain_reason(const struct result_outcome *outcome,
			   const struct report_explain_look *look, struct strbuf *into);
/* Parts that did not decide. */
void report_explain_other_parts(const struct result_outcome *outcome,
				const struct report_explain_look *look, struct strbuf *into);
void report_explain_notes(const struct result_outcome *outcome,
			  const struct report_explain_look *look, struct strbuf *into);
/* Source, record, kept directory and the command that does it again: those there are. */
void report_explain_places(const struct result_outcome *outcome,
			   const struct report_explain_look *look, struct strbuf *into);

/* Inside the room: what a format is made of. */

struct report_form;

struct report_run {
	const struct report_form *form;
	struct report_options options; /* without the path */
	char *path;		       /* NULL: out goes to fd */
	int own_fd;		       /* -1: options.fd counts */
	struct strbuf out;	       /* what the form says; written after each call */
	struct error *err;	       /* the first refusal; nothing is written after it */

	bool ended;
	struct report_plan plan; /* its texts are owned */
	bool *finished;		 /* plan.n_tests of them */
	size_t n_finished;
	size_t counts[RESULT_N_VERDICTS];

	void *state; /* the form's */
};

/* A NULL function has nothing to say. Forms append to r->out and look at nothing else outside. */
struct report_form {
	bool whole; /* written once, at the end */
	void *(*new)(void);
	void (*free)(void *state);
	void (*begin)(struct report_run *r);
	void (*started)(struct report_run *r, size_t index, const char *name, uint64_t now_ns);
	void (*progress)(struct report_run *r, size_t index, const char *stage);
	void (*tick)(struct report_run *r, uint64_t now_ns);
	void (*finished)(struct report_run *r, size_t index, const struct result_outcome *outcome);
	void (*end)(struct report_run *r, const struct report_ending *ending);
	/* Freed without an end: erases the live line. */
	void (*abandon)(struct report_run *r);
};

extern const struct report_form report_form_pretty;
extern const struct report_form report_form_ktap;
extern const struct report_form report_form_junit;
extern const struct report_form report_form_json_lines;

/* Passed and skipped need no explanation. */
static inline bool report_needs_explanation(const struct result_outcome *outcome)
{
	return outcome->verdict != KTSTR_PASS && outcome->verdict != KTSTR_SKIP;
}

/* The part that decided, NULL when none of them has the outcome's reason and words. */
const struct exchange_part *report_deciding_part(const struct result_outcome *outcome);

#endif
