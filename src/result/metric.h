/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a metric of a record says about itself beside its number. */
#ifndef KTSTR_RESULT_METRIC_H
#define KTSTR_RESULT_METRIC_H

#include "json/writer.h"

enum polarity_kind {
	POLARITY_UNKNOWN,
	POLARITY_HIGHER_BETTER,
	POLARITY_LOWER_BETTER,
	POLARITY_TARGET_VALUE,
};

struct polarity {
	enum polarity_kind kind;
	double target; /* finite, with POLARITY_TARGET_VALUE only */
};

/* Metrics whose full name ends like this have this polarity and unit. */
struct metric_hint {
	const char *name_suffix;
	struct polarity polarity;
	const char *unit;
};

struct metric_hints {
	const struct metric_hint *at;
	size_t n;
};

/* "LowerBetter", "HigherBetter", "Unknown" or {"TargetValue": x}. */
void polarity_write(struct polarity polarity, struct json_writer *w);
/* The first that fits, NULL when none does: the metric is Unknown and has no unit. */
const struct metric_hint *metric_hint_find(const struct metric_hints *hints, const char *name,
					   size_t n);

#endif
