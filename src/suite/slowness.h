/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How much longer than on real hardware things may take here. */
#ifndef KTSTR_SUITE_SLOWNESS_H
#define KTSTR_SUITE_SLOWNESS_H

#include "base/error.h"

/* The text of WIRE_SLOWNESS_ENV: a number from 1 to 1000; NULL is 1. */
struct error *suite_slowness_parse(const char *text, double *ret) MUST_CHECK;
/* Rounded up. */
uint64_t suite_slowness_scaled_ms(double slowness, uint64_t ms);

#endif
