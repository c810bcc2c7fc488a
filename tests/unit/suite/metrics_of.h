/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Metrics of a program that wrote this, without a program. */
#ifndef KTSTR_TESTS_UNIT_SUITE_METRICS_OF_H
#define KTSTR_TESTS_UNIT_SUITE_METRICS_OF_H

#include <string.h>

#include "base/alloc.h"
#include "suite/metrics.h"

static inline struct capture captured(const char *text)
{
	size_t n = strlen(text);

	return (struct capture){
		.at = xstrdup(text),
		.n = n,
		.total = n,
		.capacity = n + 1,
		.limit = PAYLOAD_CAPTURE_BYTES,
	};
}

/* Read as JSON; free with metrics_deinit(). */
static inline struct ktstr_metrics metrics_of(const char *out, const char *err)
{
	struct ktstr_metrics m = {
		.exit_known = true,
		.out = captured(out),
		.err = captured(err),
	};

	metrics_extract(&m);
	return m;
}

#endif
