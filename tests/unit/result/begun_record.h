/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The record of a run in a directory of the test, begun, finished and looked at. */
#ifndef KTSTR_TESTS_RESULT_BEGUN_RECORD_H
#define KTSTR_TESTS_RESULT_BEGUN_RECORD_H

#include "base/alloc.h"
#include "result/record.h"
#include "result/run_record.h"
#include "run_sample.h"
#include "sample.h"
#include "scratch.h"

static inline struct result_record *begin_in(const char *dir)
{
	struct result_run head = sample_head();
	struct result_record *record = NULL;

	assert_success(result_record_begin(dir, &head, &record));
	return record;
}

static inline struct error *finish(struct result_record *record, enum ktstr_reason reason,
				   struct error **ret_problem)
{
	_cleanup_(result_outcome_deinit) struct result_outcome outcome;
	struct result_record_result result = { .outcome = &outcome };

	sample_outcome(&outcome, reason);
	return result_record_finish(record, &result, NULL, ret_problem);
}

static inline void assert_finished(struct result_record *record)
{
	struct error *problem = NULL;

	assert_success(finish(record, KTSTR_REASON_NONE, &problem));
	assert_null(problem);
}

static inline void assert_state(const char *path, const char *state)
{
	_cleanup_loaded_ struct loaded l;

	assert_member(load(&l, path), "state", state);
}

static inline char *below(const struct scratch *s, const char *name)
{
	return xasprintf("%s/%s", s->dir, name);
}

static inline void append_probe(const char *path, int exit_code)
{
	struct error *warning = NULL;
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	struct result_append what = sample_append(exit_code, &doc);

	assert_success(result_append_metrics(path, &what, NULL, &warning));
	assert_null(warning);
}

#endif
