/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A record read back. The bytes are foreign: every text and list is bounded and a verdict is
 * believed only with a reason that gives it.
 */
#ifndef KTSTR_RESULT_PAST_RUN_H
#define KTSTR_RESULT_PAST_RUN_H

#include "result/run_record_rows.h"

/*
 * BASE_PARSE when the bytes are not a record of a run, or one of a newer schema; BASE_LIMIT. *ret
 * is untouched then.
 */
struct error *result_run_parse(const char *text, size_t n, const char *label,
			       struct result_run *ret) MUST_CHECK;
/* The same for a regular file; BASE_IO and BASE_ABSENT too. */
struct error *result_run_read(const char *path, struct result_run *ret) MUST_CHECK;
void result_run_deinit(struct result_run *run);
#define _cleanup_result_run_ __attribute__((cleanup(result_run_deinit)))

#endif
