/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Inside the room: what a format is made of. */
#ifndef KTSTR_REPORT_FORM_H
#define KTSTR_REPORT_FORM_H

#include "base/strbuf.h"
#include "report/report.h"

struct report_form;

struct reporter {
	const struct report_form *form;
	struct report_options options; /* without the path */
	char *path;		       /* NULL: out goes to fd */
	int own_fd;		       /* -1: options.fd counts */
	struct strbuf out;	       /* what the form says; written after each call */
	struct error *err;	       /* the first refusal; nothing is written after it */

	bool begun, ended;
	struct report_plan plan; /* its texts are owned */
	bool *finished;		 /* plan.n_tests of them */
	size_t n_finished;
	size_t counts[KTSTR_N_VERDICTS];

	void *state; /* the form's */
};

/* A NULL function has nothing to say. Forms append to r->out and look at nothing else outside. */
struct report_form {
	bool whole;	 /* written once, at the end */
	bool says_early; /* a message may come before the plan */
	void *(*new)(void);
	void (*free)(void *state);
	void (*begin)(struct reporter *r);
	void (*started)(struct reporter *r, size_t index, const char *name, uint64_t now_ns);
	void (*progress)(struct reporter *r, size_t index, const char *stage);
	void (*tick)(struct reporter *r, uint64_t now_ns);
	void (*say)(struct reporter *r, const char *text);
	void (*finished)(struct reporter *r, size_t index, const struct outcome *outcome);
	void (*end)(struct reporter *r, const struct report_ending *ending);
	/* Freed without an end: takes back what only stands there for a while. */
	void (*abandon)(struct reporter *r);
};

extern const struct report_form pretty_form;
extern const struct report_form ktap_form;
extern const struct report_form junit_form;
extern const struct report_form json_lines_form;

/* Passed and skipped need no explanation. */
static inline bool needs_explanation(const struct outcome *outcome)
{
	return outcome->verdict != KTSTR_PASS && outcome->verdict != KTSTR_SKIP;
}

/* The part that decided, NULL when none of them has the outcome's reason and words. */
const struct outcome_part *deciding_part(const struct outcome *outcome);

#endif
