/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ratios, averages and differences of a group's reduced values; derived.def is their table. */
#ifndef KTSTR_METRIC_DERIVED_H
#define KTSTR_METRIC_DERIVED_H

#include "metric/reduce.h"

/*
 * QUOTIENT a / b; SHARE a / (a + b); DIFFERENCE a - b; SUM_AND_LARGER the sum of all but the last
 * two inputs and the larger of those.
 */
enum derived_form {
	DERIVED_FORM_QUOTIENT,
	DERIVED_FORM_SHARE,
	DERIVED_FORM_DIFFERENCE,
	DERIVED_FORM_SUM_AND_LARGER,
};

#define DERIVED(id, name, unit, section, form, description, ...) DERIVED_##id,
enum derived_id {
#include "metric/derived.def"
	N_DERIVED,
};
#undef DERIVED

enum { DERIVED_MOST_INPUTS = 8 };

struct derived {
	const char *name;
	enum metric_unit unit;
	enum metric_section section;
	enum derived_form form;
	const char *description;
	size_t n_inputs;
	enum metric_id inputs[DERIVED_MOST_INPUTS];
};

extern const struct derived metric_derived[N_DERIVED];

struct derived_value {
	bool known;
	/* Of the input that was measured in the fewest threads. */
	uint32_t measured, of;
	long double value; /* exact for sums and differences of 64-bit numbers */
};

/* values are by metric_id. */
struct derived_value derived_compute(enum derived_id id, const struct reduced *values);
/* "run_time_ns / (run_time_ns + wait_time_ns)" */
void derived_format_formula(enum derived_id id, struct strbuf *into);
/* False when there is no such name. */
bool derived_find(const char *name, enum derived_id *ret);

#endif
