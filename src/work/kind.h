/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kinds of work: rows of <ktstr/work_kinds.def>, each with the file of its step here. */
#ifndef KTSTR_WORK_KIND_H
#define KTSTR_WORK_KIND_H

#include <ktstr/ktstr.h>

struct work_self;

/* One iteration, or as much of it as there was time for; returns soon after a stop. */
typedef void work_step_fn(struct work_self *self);

#define KTSTR_WORK_KIND(id, name, ...) work_step_fn work_step_##name;
#include <ktstr/work_kinds.def>
#undef KTSTR_WORK_KIND

struct work_kind_info {
	const char *name;
	const char *meaning;
	const char *iteration; /* what is counted as one */
	work_step_fn *step;
	bool computes; /* the CPU times of its workers can be compared */
	struct ktstr_work
		normal; /* parameters where nothing is said; 0: it does not have that one */
};

/* NULL for KTSTR_WORK_NONE and for a number that is not a kind. */
const struct work_kind_info *work_kind_info(enum ktstr_work_kind kind);

/* A parameter of work_params.def in a struct ktstr_work. */
struct work_param {
	const char *name;
	size_t offset;
	const char *words; /* what a worker does in that time */
};
extern const struct work_param work_params[];
extern const size_t work_n_params;
unsigned int *work_param_of(struct ktstr_work *work, const struct work_param *param);
/* The work with its kind's parameters where it has none; the kind must be one. */
struct ktstr_work work_resolve(const struct ktstr_work *work);

#endif
