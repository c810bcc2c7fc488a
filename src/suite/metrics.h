/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How a payload ended, what it wrote, and the numbers in that. The numbers are those of the first
 * JSON document on standard output; when that gives none, of the first on standard error.
 */
#ifndef KTSTR_SUITE_METRICS_H
#define KTSTR_SUITE_METRICS_H

#include <ktstr/ktstr.h>

#include "base/strbuf.h"
#include "base/vec.h"
#include "exchange/report.h"
#include "json/doc.h"
#include "suite/limits.h"

/*
 * What a program wrote to one stream: the first bytes up to a limit, how many there were in all,
 * and the very last ones even when they did not fit.
 */

struct suite_capture {
	char *at; /* NULL while empty: use suite_capture_str() */
	size_t n; /* kept */
	size_t capacity;
	size_t limit;
	uint64_t total;			     /* written by the program */
	char last[SUITE_PAYLOAD_TAIL_BYTES]; /* of those that were not kept */
	size_t n_last;
};

void suite_capture_init(struct suite_capture *capture, size_t limit);
void suite_capture_deinit(struct suite_capture *capture);

enum suite_capture_state {
	SUITE_CAPTURE_TAKEN,
	SUITE_CAPTURE_NOTHING_YET,
	SUITE_CAPTURE_ENDED, /* nobody can write any more */
};
/* One read() of a descriptor that does not block, of at most that many bytes. */
enum suite_capture_state suite_capture_take(struct suite_capture *capture, int fd, size_t at_most);
/* What the pipe holds at this moment and not a byte of what comes later: others may write on. */
void suite_capture_take_rest(struct suite_capture *capture, int fd);

/* Never NULL, with a NUL behind it. */
const char *suite_capture_str(const struct suite_capture *capture);
uint64_t suite_capture_dropped(const struct suite_capture *capture);
/* Appends the last SUITE_PAYLOAD_TAIL_BYTES that the program wrote, or fewer. */
void suite_capture_tail(const struct suite_capture *capture, struct strbuf *into);

/* A payload as its result has it. */

struct suite_metric {
	size_t name_at, name_n;	    /* in `text`, with a NUL behind it */
	size_t number_at, number_n; /* exactly as the program wrote it */
	double value;		    /* the nearest one */
};

struct ktstr_metrics {
	int exit_code; /* minus the signal; INT32_MIN when not known */
	bool exit_known, timed_out, by_cleanup;
	bool killed; /* by the test or its clean-up: the exit code was not the program's choice */
	bool exit_asked; /* the test has looked at the exit code */
	uint64_t wall_ns;
	struct suite_capture out, err;

	const char *stream;	      /* where the numbers were looked for; NULL: nowhere */
	char *none_because;	      /* why there is no number; NULL when there are some */
	VEC(struct suite_metric) all; /* in the order of the document; the first of a name counts */
	struct strbuf text;
	uint32_t *by_name; /* indices into `all`, sorted */
	char *dump;	   /* NULL until asked for */
};

void suite_metrics_deinit(struct ktstr_metrics *metrics);
/* Once, when `out` and `err` are complete. */
void suite_metrics_extract(struct ktstr_metrics *metrics);

/* NULL when there is none. */
const struct suite_metric *suite_metrics_find(const struct ktstr_metrics *metrics,
					      const char *name);
struct json_text suite_metric_name(const struct ktstr_metrics *metrics,
				   const struct suite_metric *metric);
struct json_text suite_metric_number(const struct ktstr_metrics *metrics,
				     const struct suite_metric *metric);

/* Whole numbers out of the text of a JSON number, without a way through a double. */

#define SUITE_METRICS_WHOLE_MAX (UINT64_C(1) << 53)

/*
 * 16777216, 16777216.0 and 1.6777216e7 are the same whole number. False, and *ret untouched, when
 * there is a fraction, however small, a negative number, or more than SUITE_METRICS_WHOLE_MAX: past
 * that a program that keeps its numbers in doubles no longer knows them exactly.
 */
bool suite_metrics_whole_number(struct json_text number, uint64_t *ret) MUST_CHECK;

/* What a payload's declaration demands of its exit code and its numbers. */

/*
 * What is wrong with the list itself: too long, a metric without a name, an unknown kind. NULL:
 * nothing. A constant text.
 */
const char *suite_metric_checks_mistake(
	const struct ktstr_metric_check checks[static KTSTR_MAX_CHECKS + 1]);

/* The same of hints: too long a list or text, an unknown direction. */
const char *suite_metric_hints_mistake(
	const struct ktstr_metric_hint hints[static KTSTR_MAX_CHECKS + 1]);

/* What is known of metrics beside their numbers. */
struct suite_metric_meaning {
	const struct exchange_hint *hints;
	size_t n_hints;
	bool virtual_clock; /* a limit of a rate is not judged */
};

/* KTSTR_REASON_PAYLOAD: it does not hold. KTSTR_REASON_NO_EVIDENCE: it is not judged. */
typedef void (*suite_metric_check_fn)(void *context, enum ktstr_reason reason, const char *text);

/*
 * Calls `found` with a sentence for each check that does not hold or is not judged. The exit code
 * comes first, wherever it stands in the list, and when it is wrong nothing else is judged: numbers
 * of a program that failed mean little. So do those of one that was ended by its timeout, which is
 * a failure in itself. One that was ended by clean-up did not choose its exit code: only its
 * numbers are judged.
 */
void suite_metric_checks_judge(const struct ktstr_metric_check checks[static KTSTR_MAX_CHECKS + 1],
			       const struct ktstr_metrics *metrics,
			       const struct suite_metric_meaning *meaning,
			       suite_metric_check_fn found, void *context);

/* "exit code 3", "killed by signal 9 (SIGKILL)". */
void suite_metrics_format_end(const struct ktstr_metrics *metrics, struct strbuf *into);
/* "; stderr ends with: …", the last SUITE_PAYLOAD_TAIL_BYTES, or that it is empty. */
void suite_metrics_format_stderr(const struct ktstr_metrics *metrics, struct strbuf *into);

#endif
