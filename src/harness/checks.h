/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The checks of a declaration, decided on the host from what the workers measured. A check of
 * time has an error bar: what the host itself may have added. docs/VERDICTS.md has the formulas.
 */
#ifndef KTSTR_HARNESS_CHECKS_H
#define KTSTR_HARNESS_CHECKS_H

#include "harness/declaration.h"
#include "harness/disturbance.h"
#include "harness/test_report.h"

/*
 * Adds a part for each that did not hold or could not be decided, and a note for each that was
 * looked at. Once the scheduler has ended early nothing else is looked at: what the workers
 * measured then says nothing about it.
 */
void checks_evaluate(const struct declared_test *test, const struct test_report *report,
		     const struct checks_disturbance *disturbance, struct outcome *into);

#endif
