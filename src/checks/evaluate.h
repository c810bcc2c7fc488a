/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The checks of a test, decided on the host from what the workers measured. A check of time has an
 * error bar: what the host itself may have added. docs/VERDICTS.md has the formulas.
 */
#ifndef KTSTR_CHECKS_EVALUATE_H
#define KTSTR_CHECKS_EVALUATE_H

#include "checks/facts.h"
#include "checks/findings.h"

/*
 * Adds a part for each that did not hold or could not be decided, and a note for each that was
 * checked. Once the scheduler has ended early nothing else is: what the workers measured then says
 * nothing about it.
 */
void checks_evaluate(const struct checks_facts *facts, struct checks_findings *into);

#endif
