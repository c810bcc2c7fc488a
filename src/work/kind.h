/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kinds of work, one row each in kinds.def and one file each with the step. */
#ifndef KTSTR_WORK_KIND_H
#define KTSTR_WORK_KIND_H

#include "base/macros.h"

struct work_self;

enum work_kind {
#define KIND(id, word, burst_ms, sleep_ms, meaning, iteration) WORK_KIND_##id,
#include "work/kinds.def"
#undef KIND
	WORK_N_KINDS
};

/* One iteration, or as much of it as there was time for; returns soon after a stop. */
typedef void work_step_fn(struct work_self *self);

#define KIND(id, word, burst_ms, sleep_ms, meaning, iteration) work_step_fn work_step_##word;
#include "work/kinds.def"
#undef KIND

struct work_kind_info {
	const char *word;
	const char *meaning;
	const char *iteration; /* what is counted as one */
	/* Defaults; 0 when the kind has no such parameter. */
	uint32_t burst_ms, sleep_ms;
	work_step_fn *step;
};

/* NULL for a number that is no kind. */
const struct work_kind_info *work_kind_info(enum work_kind kind);
/* By its word; WORK_N_KINDS when there is none. */
enum work_kind work_kind_find(const char *word);

#endif
