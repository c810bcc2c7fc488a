/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The checks of a declaration on what its test reported. */
#ifndef KTSTR_HARNESS_CHECKS_H
#define KTSTR_HARNESS_CHECKS_H

#include "checks/facts.h"
#include "exchange/declaration.h"
#include "harness/test_report.h"

/* Adds parts and notes; see checks_evaluate(). */
void harness_check(const struct exchange_declared_test *test,
		   const struct harness_test_report *report,
		   const struct checks_disturbance *disturbance, struct result_outcome *into);

#endif
