// SPDX-License-Identifier: LGPL-2.1-or-later
#include "work/kind.h"

#include <string.h>

static const struct work_kind_info kinds[WORK_N_KINDS] = {
#define KIND(id, word, burst_ms, sleep_ms, meaning, iteration) \
	[WORK_KIND_##id] = { #word, meaning, iteration, burst_ms, sleep_ms, work_step_##word },
#include "work/kinds.def"
#undef KIND
};

const struct work_kind_info *work_kind_info(enum work_kind kind)
{
	return (unsigned int)kind < WORK_N_KINDS ? &kinds[kind] : NULL;
}

enum work_kind work_kind_find(const char *word)
{
	unsigned int kind = 0;

	while (kind < WORK_N_KINDS && strcmp(kinds[kind].word, word) != 0)
		kind++;
	return (enum work_kind)kind;
}
