// SPDX-License-Identifier: LGPL-2.1-or-later
#include "result/outcome.h"

#include <string.h>

const char *const result_verdict_names[RESULT_N_VERDICTS] = {
	[KTSTR_PASS] = "pass",	   [KTSTR_SKIP] = "skip", [KTSTR_INCONCLUSIVE] = "inconclusive",
	[KTSTR_BROKEN] = "broken", [KTSTR_FAIL] = "fail",
};

/* The heavier one decides. */
static const int weights[RESULT_N_VERDICTS] = {
	[KTSTR_PASS] = 0,   [KTSTR_SKIP] = 1, [KTSTR_INCONCLUSIVE] = 2,
	[KTSTR_BROKEN] = 3, [KTSTR_FAIL] = 4,
};

#define KTSTR_REASON(id, word, verdict, meaning) [KTSTR_REASON_##id] = (word),
const char *const result_reason_names[KTSTR_N_REASONS] = {
#include <ktstr/reasons.def>
};
#undef KTSTR_REASON

static const struct {
	const char *meaning;
	enum ktstr_verdict verdict;
} reasons[KTSTR_N_REASONS] = {
#define KTSTR_REASON(id, word, verdict, meaning) [KTSTR_REASON_##id] = { meaning, KTSTR_##verdict },
#include <ktstr/reasons.def>
#undef KTSTR_REASON
};

static bool is(const char *expected, const char *word, size_t n)
{
	return strlen(expected) == n && memcmp(expected, word, n) == 0;
}

const char *result_verdict_name(enum ktstr_verdict verdict)
{
	return result_verdict_names[verdict];
}

bool result_verdict_find(const char *word, size_t n, enum ktstr_verdict *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(result_verdict_names); i++) {
		if (is(result_verdict_names[i], word, n)) {
			*ret = (enum ktstr_verdict)i;
			return true;
		}
	}
	return false;
}

const char *result_reason_name(enum ktstr_reason reason)
{
	return result_reason_names[reason];
}

const char *result_reason_meaning(enum ktstr_reason reason)
{
	return reasons[reason].meaning;
}

enum ktstr_verdict result_reason_verdict(enum ktstr_reason reason)
{
	return reasons[reason].verdict;
}

bool result_reason_find(const char *word, size_t n, enum ktstr_reason *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++) {
		if (is(result_reason_names[i], word, n)) {
			*ret = (enum ktstr_reason)i;
			return true;
		}
	}
	return false;
}

bool result_verdict_outweighs(enum ktstr_verdict a, enum ktstr_verdict b)
{
	return weights[a] > weights[b];
}
