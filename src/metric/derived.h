/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ratios, averages and differences of a group's reduced values; derived.def is their table. */
#ifndef KTSTR_METRIC_DERIVED_H
#define KTSTR_METRIC_DERIVED_H

#include "metric/reduce.h"

/*
 * QUOTIENT a / b; SHARE a / (a + b); DIFFERENCE a - b; SUM_AND_LARGER the sum of all but the last
 * two inputs and the larger of those.
 */
enum metric_derived_form {
	METRIC_DERIVED_FORM_QUOTIENT,
	METRIC_DERIVED_FORM_SHARE,
	METRIC_DERIVED_FORM_DIFFERENCE,
	METRIC_DERIVED_FORM_SUM_AND_LARGER,
};

#define DERIVED(id, name, unit, section, form, description, ...) METRIC_DERIVED_##id,
enum metric_derived_id {
#include "metric/derived.def"
	METRIC_N_DERIVED,
};
#undef DERIVED

enum { METRIC_LIMIT_DERIVED_INPUTS = 8 };

struct metric_derived {
	const char *name;
	enum metric_unit unit;
	enum metric_section section;
	enum metric_derived_form form;
	const char *description;
	size_t n_inputs;
	enum metric_id inputs[METRIC_LIMIT_DERIVED_INPUTS];
};

extern const struct metric_derived metric_derived[METRIC_N_DERIVED];

struct metric_derived_value {
	bool known;
	/* Of the input that was measured in the fewest threads. */
	uint32_t measured, of;
	long double value; /* exact for sums and differences of 64-bit numbers */
};

/* values are by metric_id. */
struct metric_derived_value metric_derived_compute(enum metric_derived_id id,
						   const struct metric_reduced *values);
/* "run_time_ns / (run_time_ns + wait_time_ns)" */
void metric_derived_format_formula(enum metric_derived_id id, struct strbuf *into);

#endif
