/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Verdicts and their reasons: the words of <ktstr/reasons.def>, and which of several counts. */
#ifndef KTSTR_RESULT_VERDICT_H
#define KTSTR_RESULT_VERDICT_H

#include <ktstr/ktstr.h>

#include "base/macros.h"

enum { KTSTR_N_VERDICTS = KTSTR_INCONCLUSIVE + 1 };

extern const char *const verdict_words[KTSTR_N_VERDICTS];
extern const char *const reason_words[KTSTR_N_REASONS];

/* "pass", "fail", "skip", "broken", "inconclusive". */
const char *verdict_word(enum ktstr_verdict verdict);
bool verdict_find(const char *word, size_t n, enum ktstr_verdict *ret) MUST_CHECK;

const char *reason_word(enum ktstr_reason reason);
const char *reason_meaning(enum ktstr_reason reason);
enum ktstr_verdict reason_verdict(enum ktstr_reason reason);
bool reason_find(const char *word, size_t n, enum ktstr_reason *ret) MUST_CHECK;

/*
 * Which of two parts decides: fail before broken before inconclusive before skip before pass. What
 * was seen to be wrong stays wrong, whatever else could not be looked at.
 */
bool verdict_outweighs(enum ktstr_verdict a, enum ktstr_verdict b);

#endif
