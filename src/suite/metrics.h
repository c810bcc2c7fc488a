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
#include "json/doc.h"
#include "suite/capture.h"

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

#endif
