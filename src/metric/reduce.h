/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Many threads' values made one. The kind of a metric decides how, so that a sum over a label
 * cannot be spelled. Threads in which the value is not known do not take part, and the result says
 * how many did: "k of n measured". With k = 0 there is no value; it is not 0.
 */
#ifndef KTSTR_METRIC_REDUCE_H
#define KTSTR_METRIC_REDUCE_H

#include "base/strbuf.h"
#include "metric/sample.h"

enum metric_reduction {
	METRIC_REDUCTION_COUNT, /* how many threads */
	METRIC_REDUCTION_SUM,	/* saturates */
	METRIC_REDUCTION_LARGEST,
	METRIC_REDUCTION_LEAST, /* of those that are not 0; 0 when all are */
	METRIC_REDUCTION_RANGE, /* smallest and largest, signed */
	METRIC_REDUCTION_MODE,	/* how often each, and the most frequent */
	METRIC_REDUCTION_CPUS,	/* sizes, and the set when all are equal */
};

struct metric_tally_entry {
	uint64_t value;
	uint64_t count;
};

struct metric_reduced {
	uint32_t measured; /* k: threads in which the value is known */
	uint32_t of;	   /* n: threads that can have one */
	union {
		uint64_t value; /* COUNT, SUM, LARGEST, LEAST */
		struct {
			int64_t least, most;
		} range;
		struct {
			struct metric_tally_entry *at; /* owned, in the order of arrival */
			uint32_t n, capacity;
		} tally;
		struct {
			uint32_t least, most; /* numbers of CPUs */
			uint32_t list; /* of the snapshot; METRIC_SAMPLE_NO_ENTRY when mixed */
		} cpus;
	};
};

enum metric_reduction metric_reduction(enum metric_kind kind);

/*
 * Starts zeroed. Threads that cannot have the value (nr_threads of any but the leader) are left
 * out of both k and n.
 */
void metric_reduced_add(struct metric_reduced *into, enum metric_id id,
			const struct metric_thread_sample *sample);
void metric_reduced_deinit(struct metric_reduced *value, enum metric_kind kind);

/* No thread had it. A count of threads is never absent. */
bool metric_reduced_is_absent(const struct metric_reduced *value, enum metric_kind kind);
/* Known, and nothing but 0: what tables leave out unless asked. Labels and CPUs never are. */
bool metric_reduced_is_zero(const struct metric_reduced *value, enum metric_kind kind);
/*
 * One number to sort by and to take differences of: the middle of a range and of sizes. False for
 * labels and what is absent.
 */
bool metric_reduced_scalar(const struct metric_reduced *value, enum metric_kind kind,
			   long double *ret);
/* The most frequent label; among equals the one whose text sorts first. False when absent. */
bool metric_reduced_mode(const struct metric_reduced *value, enum metric_kind kind,
			 struct metric_tally_entry *ret);
/* The text of a label: SCHED_OTHER, S, true. */
void metric_label_format(enum metric_kind kind, uint64_t value, struct strbuf *into);

/* Ratios, averages and differences of a group's reduced values; derived.def is their table. */

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
