/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Verdicts and their reasons: the words of <ktstr/reasons.def>, and which of several counts. */
#ifndef KTSTR_RESULT_VERDICT_H
#define KTSTR_RESULT_VERDICT_H

#include <ktstr/ktstr.h>

#include "base/macros.h"

enum { RESULT_N_VERDICTS = KTSTR_INCONCLUSIVE + 1 };

extern const char *const result_verdict_names[RESULT_N_VERDICTS];
extern const char *const result_reason_names[KTSTR_N_REASONS];

/* "pass", "fail", "skip", "broken", "inconclusive". */
const char *result_verdict_name(enum ktstr_verdict verdict);
bool result_verdict_find(const char *word, size_t n, enum ktstr_verdict *ret) MUST_CHECK;

const char *result_reason_name(enum ktstr_reason reason);
const char *result_reason_meaning(enum ktstr_reason reason);
enum ktstr_verdict result_reason_verdict(enum ktstr_reason reason);
bool result_reason_find(const char *word, size_t n, enum ktstr_reason *ret) MUST_CHECK;

/*
 * Which of two parts decides: fail before broken before inconclusive before skip before pass. What
 * was seen to be wrong stays wrong, whatever else could not be looked at.
 */
bool result_verdict_outweighs(enum ktstr_verdict a, enum ktstr_verdict b);

#endif
