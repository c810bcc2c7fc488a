/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The record of one executed variant, `<test>-<id>.ktstr.json`. It is on disk before the guest
 * is, says "started" until the outcome is known, and is then replaced whole; a runner that dies
 * in between leaves a record that says so. A file that is there is never overwritten: the same
 * variant, run again into the same folder, is `<test>-<id>-2.ktstr.json`.
 *
 * Others may append to the record's `metrics` at any time (record.h): what they wrote is kept.
 * The lock file beside a record is removed when the record is finished.
 */
#ifndef KTSTR_RESULT_RUN_RECORD_H
#define KTSTR_RESULT_RUN_RECORD_H

#include "base/cancel.h"
#include "result/run_record_rows.h"

struct result_record_metric {
	const char *name;
	const char *number; /* as JSON; what is no number is left out */
};

struct result_record_payload {
	const char *name;
	bool ended;
	int exit_code;	    /* with `ended`; negative: minus the signal */
	const char *stream; /* "stdout" or "stderr": where the metrics were */
	const struct result_record_metric *metrics;
	size_t n_metrics;
	struct result_metric_hints hints; /* units and directions of its metrics */
};

typedef void (*result_members_fn)(void *context, struct json_writer *w);

/* All of these are borrowed. */
struct result_record_result {
	/* Verdict, reason, why, parts, notes, wall_ns, kept_dir. */
	const struct result_outcome *outcome;
	/* NULL: no guest came to be, and whether it would have been a clone is unknown. */
	const char *accel, *accel_reason;
	bool cloned;
	const struct result_stage *stages;
	size_t n_stages;
	bool has_cleanup, has_host_run_delay;
	uint64_t cleanup_ms, host_run_delay_ns;
	struct result_texts kept_files; /* names in kept_dir */
	const struct result_record_payload *payloads;
	size_t n_payloads;
	/*
	 * Members of the object `stats`, and members of the record itself (workers, cgroups,
	 * payloads, scheduler_run …). May be NULL; may be called twice.
	 */
	result_members_fn write_stats, write_facts;
	void *context;
	const struct json_rows *stats_rows; /* of what write_stats writes, or NULL */
};

struct result_record;

/*
 * Makes the folder if need be and writes the record as started. Nothing of head is kept
 * borrowed. BASE_IO, BASE_LIMIT.
 */
struct error *result_record_begin(const char *dir, const struct result_run *head,
				  struct result_record **ret) MUST_CHECK;
void result_record_free(struct result_record *record);
DEFINE_CLEANUP(result_run_record, struct result_record *, NULL, result_record_free);
#define _cleanup_result_run_record_ _cleanup_(cleanup_result_run_record)

/* Where it is: what _finish() may change. Borrowed. */
const char *result_record_path(const struct result_record *record);

/*
 * Writes the outcome. When the record cannot be replaced (it was removed, damaged, exchanged,
 * its lock is held for 30 s, or for half a second of a run that was cancelled) the result goes to a
 * new name, and *ret_problem, else NULL, says why. An error: it is nowhere, the record is as it
 * was.
 */
struct error *result_record_finish(struct result_record *record,
				   const struct result_record_result *result,
				   const struct cancel *cancel,
				   struct error **ret_problem) MUST_CHECK;

#endif
