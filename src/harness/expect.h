/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests that must fail: a declared failure that happened is a pass, anything else is not. */
#ifndef KTSTR_HARNESS_EXPECT_H
#define KTSTR_HARNESS_EXPECT_H

#include "result/outcome.h"

/*
 * Of a settled outcome. Only a failure or a pass is looked at: what could not be tested stays so.
 * The outcome is settled again.
 */
void harness_expect_apply(enum ktstr_reason expected, struct result_outcome *outcome);

#endif
