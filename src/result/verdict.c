// SPDX-License-Identifier: LGPL-2.1-or-later
#include "result/verdict.h"

#include <string.h>

static const struct {
	const char *word;
	int weight;
} verdicts[KTSTR_N_VERDICTS] = {
	[KTSTR_PASS] = { "pass", 0 },
	[KTSTR_SKIP] = { "skip", 1 },
	[KTSTR_INCONCLUSIVE] = { "inconclusive", 2 },
	[KTSTR_BROKEN] = { "broken", 3 },
	[KTSTR_FAIL] = { "fail", 4 },
};

static const struct {
	const char *word, *meaning;
	enum ktstr_verdict verdict;
} reasons[KTSTR_N_REASONS] = {
#define KTSTR_REASON(id, word, verdict, meaning) \
	[KTSTR_REASON_##id] = { word, meaning, KTSTR_##verdict },
#include <ktstr/reasons.def>
#undef KTSTR_REASON
};

static bool is(const char *expected, const char *word, size_t n)
{
	return strlen(expected) == n && memcmp(expected, word, n) == 0;
}

const char *verdict_word(enum ktstr_verdict verdict)
{
	return verdicts[verdict].word;
}

bool verdict_find(const char *word, size_t n, enum ktstr_verdict *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(verdicts); i++) {
		if (is(verdicts[i].word, word, n)) {
			*ret = (enum ktstr_verdict)i;
			return true;
		}
	}
	return false;
}

const char *reason_word(enum ktstr_reason reason)
{
	return reasons[reason].word;
}

const char *reason_meaning(enum ktstr_reason reason)
{
	return reasons[reason].meaning;
}

enum ktstr_verdict reason_verdict(enum ktstr_reason reason)
{
	return reasons[reason].verdict;
}

bool reason_find(const char *word, size_t n, enum ktstr_reason *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++) {
		if (is(reasons[i].word, word, n)) {
			*ret = (enum ktstr_reason)i;
			return true;
		}
	}
	return false;
}

bool verdict_outweighs(enum ktstr_verdict a, enum ktstr_verdict b)
{
	return verdicts[a].weight > verdicts[b].weight;
}
