/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The words of <ktstr/reasons.def>, for the guest's side. */
#ifndef KTSTR_SUITE_REASON_H
#define KTSTR_SUITE_REASON_H

#include <ktstr/ktstr.h>

/* NULL for a number that is no reason. */
const char *suite_reason_name(enum ktstr_reason reason);
/* Whether a test may declare it in .expect: a failure that can happen by itself. */
bool suite_reason_is_expectable(enum ktstr_reason reason);

#endif
