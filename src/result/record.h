/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Records on disk. Writers meet at the lock file "<record>.lock"; the record is
 * replaced whole, so a reader needs no lock and a crash loses nothing but the
 * entry being added. A symbolic link is followed and stays.
 */
#ifndef KTSTR_RESULT_RECORD_H
#define KTSTR_RESULT_RECORD_H

#include "base/cancel.h"
#include "json/rows.h"

/* What a metric of a record says about itself beside its number. */

enum result_polarity_kind {
	/* As in enum ktstr_direction and enum json_direction. */
	RESULT_POLARITY_UNKNOWN,
	RESULT_POLARITY_LOWER_BETTER,
	RESULT_POLARITY_HIGHER_BETTER,
	RESULT_POLARITY_TARGET_VALUE,
};

struct result_polarity {
	enum result_polarity_kind kind;
	double target; /* finite, with RESULT_POLARITY_TARGET_VALUE only */
};

/* Metrics whose full name ends like this have this polarity and unit. */
struct result_metric_hint {
	const char *name_suffix;
	struct result_polarity polarity;
	const char *unit;
};

struct result_metric_hints {
	const struct result_metric_hint *at;
	size_t n;
};

/* A metric as records have it. All of it is borrowed. */
struct result_metric_entry {
	struct json_text name; /* may hold NUL bytes */
	/* The text of the number, not a double: counters past 2^53 stay exact. */
	struct json_text value;
	struct result_polarity polarity;
	const char *unit;
	const char *source, *stream;
	const char *not_judged; /* why it says nothing of this run; NULL: it does */
};

/* What one program measured. */
struct result_metric_payload {
	uint64_t payload_index;
	const char *payload; /* its name */
	struct {
		const struct result_metric_entry *at;
		size_t n;
	} metrics;
	bool ended;
	int exit_code; /* negative: minus the signal */
};

/* To write and to explain; records are not read back this far. */
extern const struct json_rows result_metric_entry_rows, result_metric_payload_rows;
/* What tells how a figure of a record compares: its path, its unit, and which way is better. */
struct result_measure {
	const char *name, *unit;
	struct result_polarity polarity;
	const char *not_judged; /* as above */
};
extern const struct json_rows result_measure_rows;
/*
 * What is said of a rate with a virtual clock. All CPUs together execute the same number of
 * instructions in a second, whatever the scheduler does: neither way is better.
 */
#define RESULT_RATE_NOT_JUDGED "a rate, with a virtual clock"
/* One for each of the rows that has a unit, into a list that is open. */
void result_write_measures(const struct json_rows *rows, const char *place, bool virtual_clock,
			   struct json_writer *w);

/* The first that fits, NULL when none does: the metric is Unknown and has no unit. */
const struct result_metric_hint *result_metric_hint_find(const struct result_metric_hints *hints,
							 const char *name, size_t n);

/*
 * A record as bytes. A record is a JSON object with exactly one member
 * `metrics`, an array with one entry for each program that ran.
 */

struct result_metrics_place {
	size_t open, close; /* the array's brackets in the text */
	size_t length;
};

/* Where `metrics` of a record is, or what is wrong with it; NULL: nothing. */
const char *result_find_metrics(const char *record, size_t n, const struct json_value *root,
				struct result_metrics_place *ret);

/* What one program's output adds. All of it is borrowed. */
struct result_append {
	const struct json_value *output; /* its numeric leaves become metrics */
	const char *name_prefix;	 /* "prefix" gives "prefix.leaf.name" */
	struct result_metric_hints hints;
	int exit_code;
};

/*
 * Appends to *out the record with one entry more; every other byte stays.
 * BASE_PARSE when the bytes are not a record, BASE_LIMIT when they are or would become too large.
 */
struct error *result_append_text(const char *record, size_t n, const char *label,
				 const struct result_append *append, struct strbuf *out) MUST_CHECK;

/* The file. */

/* BASE_ABSENT when there is no such file; whether it can be read shows when it is. */
struct error *result_record_exists(const char *path) MUST_CHECK;

/*
 * BASE_ABSENT, BASE_PARSE (no record), BASE_LIMIT (too large, or the lock is
 * held for 30 s), BASE_CANCELLED while waiting, BASE_IO. On error the record is as it was. A record
 * that has the entry and whose directory could not be synced is success, with *ret_warning: it is
 * the caller's, and NULL otherwise.
 */
struct error *result_append_metrics(const char *path, const struct result_append *append,
				    const struct cancel *cancel,
				    struct error **ret_warning) MUST_CHECK;

#endif
