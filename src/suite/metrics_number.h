/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whole numbers out of the text of a JSON number, without a way through a double. */
#ifndef KTSTR_SUITE_METRICS_NUMBER_H
#define KTSTR_SUITE_METRICS_NUMBER_H

#include "json/doc.h"

#define SUITE_METRICS_WHOLE_MAX (UINT64_C(1) << 53)

/*
 * 16777216, 16777216.0 and 1.6777216e7 are the same whole number. False, and *ret untouched, when
 * there is a fraction, however small, a negative number, or more than SUITE_METRICS_WHOLE_MAX: past
 * that a program that keeps its numbers in doubles no longer knows them exactly.
 */
bool suite_metrics_whole_number(struct json_text number, uint64_t *ret) MUST_CHECK;

#endif
