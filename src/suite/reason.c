// SPDX-License-Identifier: LGPL-2.1-or-later
#include "suite/declared.h"

static const struct {
	const char *word;
	enum ktstr_verdict verdict;
} rows[KTSTR_N_REASONS] = {
#define KTSTR_REASON(id, word, verdict, meaning) [KTSTR_REASON_##id] = { word, KTSTR_##verdict },
#include <ktstr/reasons.def>
#undef KTSTR_REASON
};

const char *suite_reason_name(enum ktstr_reason reason)
{
	/* An author can write any number, and an enum of positive values may be unsigned. */
	return (unsigned int)reason < KTSTR_N_REASONS ? rows[reason].word : NULL;
}

bool suite_reason_is_expectable(enum ktstr_reason reason)
{
	if ((unsigned int)reason >= KTSTR_N_REASONS)
		return false;
	/* These two are said about an expectation, so nothing can expect them. */
	return rows[reason].verdict == KTSTR_FAIL && reason != KTSTR_REASON_DID_NOT_FAIL &&
	       reason != KTSTR_REASON_OTHER_FAILURE;
}
