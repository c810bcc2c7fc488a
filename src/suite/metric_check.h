/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a payload's declaration demands of its exit code and its numbers. */
#ifndef KTSTR_SUITE_METRIC_CHECK_H
#define KTSTR_SUITE_METRIC_CHECK_H

#include "suite/metrics.h"

/*
 * What is wrong with the list itself: too long, a metric without a name, an unknown kind. NULL:
 * nothing. A constant text.
 */
const char *suite_metric_checks_mistake(
	const struct ktstr_metric_check checks[static KTSTR_MAX_CHECKS + 1]);

/* The same of hints: too long a list or text, an unknown direction. */
const char *suite_metric_hints_mistake(
	const struct ktstr_metric_hint hints[static KTSTR_MAX_CHECKS + 1]);

typedef void (*suite_metric_check_fn)(void *context, const char *text);

/*
 * Calls `failed` with a sentence for each check that does not hold. The exit code comes first,
 * wherever it stands in the list, and when it is wrong nothing else is judged: numbers of a program
 * that failed mean little. So do those of one that was ended by its timeout, which is a failure in
 * itself. One that was ended by clean-up did not choose its exit code: only its numbers are judged.
 */
void suite_metric_checks_judge(const struct ktstr_metric_check checks[static KTSTR_MAX_CHECKS + 1],
			       const struct ktstr_metrics *metrics, suite_metric_check_fn failed,
			       void *context);

/* "exit code 3", "killed by signal 9 (SIGKILL)". */
void suite_metrics_format_end(const struct ktstr_metrics *metrics, struct strbuf *into);
/* "; stderr ends with: …", the last SUITE_PAYLOAD_TAIL_BYTES, or that it is empty. */
void suite_metrics_format_stderr(const struct ktstr_metrics *metrics, struct strbuf *into);

#endif
