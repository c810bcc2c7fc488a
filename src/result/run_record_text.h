/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The text of a run's record, without a disk. */
#ifndef KTSTR_RESULT_RUN_RECORD_TEXT_H
#define KTSTR_RESULT_RUN_RECORD_TEXT_H

#include "result/run_record.h"

/* What tells this run from every other, and when it began. */
struct result_stamp {
	uint64_t unix_sec;
	uint64_t pid;
	uint64_t start_time_jiffies; /* of the runner's process; 0 when it could not be read */
	unsigned int counter;
};

/* "2026-11-15T14:30:05Z" */
char *result_format_time(uint64_t unix_sec) MUST_CHECK;
/* "2026-11-15T14:30:05Z-4711-0" */
char *result_format_run_id(const struct result_stamp *stamp) MUST_CHECK;

/* The members that never change, as text between the braces. */
void result_format_head(const struct result_run *head, const struct result_stamp *stamp,
			struct strbuf *into);
void result_format_started(const struct strbuf *head, struct strbuf *into);

/*
 * The whole record. `kept` is the text of the elements that `metrics` has already, without the
 * brackets. `problem`, or NULL: why this is not where it should be. BASE_LIMIT when it is too
 * large even without the members that callers write and without metrics of ours.
 */
struct error *result_format_finished(const struct strbuf *head,
				     const struct result_record_result *result,
				     struct json_text kept, size_t n_kept, const char *problem,
				     struct strbuf *into) MUST_CHECK;

/*
 * The elements of `metrics` in a record that was started with this run id. BASE_PARSE when the
 * bytes are no such record.
 */
struct error *result_find_kept(const char *record, size_t n, const char *label, const char *run_id,
			       struct json_text *ret_kept, size_t *ret_n) MUST_CHECK;

#endif
