// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts executions that got past the first validation. A fuzzer that never gets
 * there tests one comparison, however many executions it makes. At exit the count
 * goes to the file that KTSTR_FUZZ_STATS names; tools/fuzz-report reads it.
 */
#include "fuzz_deep.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

static uint64_t deep;

void fuzz_mark_deep(void)
{
	deep++;
}

uint64_t fuzz_deep_count(void)
{
	return deep;
}

static void write_stats(void)
{
	const char *path = getenv("KTSTR_FUZZ_STATS");
	FILE *f = path ? fopen(path, "w") : NULL;

	if (!f)
		return;
	fprintf(f, "deep %" PRIu64 "\n", deep);
	fclose(f);
}

__attribute__((constructor)) static void register_stats(void)
{
	atexit(write_stats);
}
