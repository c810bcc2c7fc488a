/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One executed variant and what came of it: the runner fills it, records and reports show it. */
#ifndef KTSTR_RESULT_OUTCOME_H
#define KTSTR_RESULT_OUTCOME_H

#include <ktstr/ktstr.h>

#include "base/macros.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "exchange/report.h"

/* The clock of the guest that a test ran in. */
enum result_clock_kind {
	RESULT_CLOCK_UNSAID, /* records of older versions, which had real ones */
	RESULT_CLOCK_REAL,
	RESULT_CLOCK_VIRTUAL,
	RESULT_N_CLOCKS,
};

struct result_clock {
	enum result_clock_kind kind;
	uint64_t seed; /* of a virtual one */
};

/* NULL for RESULT_CLOCK_UNSAID. */
extern const char *const result_clock_names[RESULT_N_CLOCKS];
/* "real", "virtual, seed 3"; nothing for RESULT_CLOCK_UNSAID. */
void result_clock_format(struct result_clock clock, struct strbuf *into);

struct result_outcome {
	/* What was run. */
	char *suite; /* the binary's name */
	char *test;  /* the test's */
	/* suite:test@topology[,kernel][,seed=N][,run=N]: unlike any other of this invocation */
	char *name;
	char *id; /* 16 hexadecimal digits: test, topology, scheduler, arguments, kernel, clock */
	char *topology; /* what was booted */
	struct result_clock clock;
	char *kernel;	 /* release */
	char *scheduler; /* its words, "" for the kernel's own */
	char *source;	 /* "mytests.c:12" */

	/* What came of it. */
	enum ktstr_verdict verdict;
	enum ktstr_reason reason;
	char *why;			 /* one line; "" for a plain pass */
	VEC(struct exchange_part) parts; /* pieces of the verdict: a reason gives one */
	VEC(char *) notes;
	uint64_t wall_ns;

	/* Where to look. NULL: there is none. */
	char *record_path;
	char *kept_dir; /* console, streams, logs */
	char *rerun;	/* the command line that does it again */
};

void result_outcome_deinit(struct result_outcome *outcome);
#define _cleanup_result_outcome_ __attribute__((cleanup(result_outcome_deinit)))

/* Appends a part; takes nothing, copies everything. file may be NULL. */
void result_outcome_add_part(struct result_outcome *outcome, enum ktstr_reason reason,
			     const char *file, int line, const char *text);
void result_outcome_add_note(struct result_outcome *outcome, const char *text);
/* Verdict, reason and why out of the parts: the first of those that outweigh all others. */
void result_outcome_settle(struct result_outcome *outcome);

/* Verdicts and their reasons: the words of <ktstr/reasons.def>, and which of several counts. */

enum { RESULT_N_VERDICTS = KTSTR_INCONCLUSIVE + 1 };

extern const char *const result_verdict_names[RESULT_N_VERDICTS];

/* "pass", "fail", "skip", "broken", "inconclusive". */
const char *result_verdict_name(enum ktstr_verdict verdict);

const char *result_reason_name(enum ktstr_reason reason);
const char *result_reason_meaning(enum ktstr_reason reason);
enum ktstr_verdict result_reason_verdict(enum ktstr_reason reason);

/*
 * Which of two parts decides: fail before broken before inconclusive before skip before pass. What
 * was seen to be wrong stays wrong, whatever else could not be looked at.
 */
bool result_verdict_outweighs(enum ktstr_verdict a, enum ktstr_verdict b);

#endif
