/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How unequally the workers of a cgroup got CPU time. */
#ifndef KTSTR_HARNESS_SPREAD_H
#define KTSTR_HARNESS_SPREAD_H

#include "harness/test_report.h"

/* (max - min) / max in percent. False: fewer than two workers ran, or none had any time. */
bool spread_of(const struct test_report *report, const char *cgroup, double *ret_pct) MUST_CHECK;

#endif
