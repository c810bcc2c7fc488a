/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a metric of a record says about itself beside its number. */
#ifndef KTSTR_RESULT_METRIC_H
#define KTSTR_RESULT_METRIC_H

#include "json/rows.h"

enum result_polarity_kind {
	RESULT_POLARITY_UNKNOWN,
	RESULT_POLARITY_HIGHER_BETTER,
	RESULT_POLARITY_LOWER_BETTER,
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
};
extern const struct json_rows result_measure_rows;
/* One for each of the rows that has a unit, into a list that is open. */
void result_write_measures(const struct json_rows *rows, const char *place, struct json_writer *w);

/* The first that fits, NULL when none does: the metric is Unknown and has no unit. */
const struct result_metric_hint *result_metric_hint_find(const struct result_metric_hints *hints,
							 const char *name, size_t n);

#endif
