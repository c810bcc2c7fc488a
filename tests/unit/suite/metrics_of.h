/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Metrics of a program that wrote this, without a program. */
#ifndef KTSTR_TESTS_UNIT_SUITE_METRICS_OF_H
#define KTSTR_TESTS_UNIT_SUITE_METRICS_OF_H

#include <string.h>

#include "base/alloc.h"
#include "suite/metrics.h"

static inline struct suite_capture captured(const char *text)
{
	size_t n = strlen(text);

	return (struct suite_capture){
		.at = xstrdup(text),
		.n = n,
		.total = n,
		.capacity = n + 1,
		.limit = SUITE_PAYLOAD_CAPTURE_BYTES,
	};
}

/* Read as JSON; free with suite_metrics_deinit(). */
static inline struct ktstr_metrics metrics_of(const char *out, const char *err)
{
	struct ktstr_metrics m = {
		.exit_known = true,
		.out = captured(out),
		.err = captured(err),
	};

	suite_metrics_extract(&m);
	return m;
}

#endif
