// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/json/rows.c */
/*
 * Any bytes as a document of rows with a member of every type: either they are refused and what
 * was read is freed, or what was understood, written and read again, is the same.
 */
#include "fuzz.h"

#include "fuzz_json.h"
#include "../unit/json/rows_sample.h"

static void free_sample(struct sample *sample)
{
	json_rows_deinit(&sample_table, sample);
	FUZZ_MUST(!sample->name && !sample->wheels.at && !sample->words.n);
}
#define _cleanup_sample_ __attribute__((cleanup(free_sample)))

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t limit, unsigned int seed UNUSED)
{
	return fuzz_mutate_json(data, n, limit);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	_cleanup_sample_ struct sample sample = { 0 }, again = { 0 };
	_cleanup_strbuf_ struct strbuf first = STRBUF_INIT, second = STRBUF_INIT;
	_cleanup_error_ struct error *refused = NULL;

	refused = json_rows_parse(&sample_table, (const char *)data, n, "fuzz", &sample);
	if (refused) {
		if (fuzz_is_json(data, n) && !strstr(error_message(refused), "format"))
			fuzz_mark_deep();
		return 0;
	}
	fuzz_mark_deep();
	FUZZ_MUST(sample.name && strlen(sample.name) <= 12 && sample.u32 <= 100);
	FUZZ_MUST(sample.i32 >= -5 && sample.wheels.n <= 3 && sample.colour < N_COLOURS);
	json_rows_format(&sample_table, &sample, &first);
	/* A wheel may be there without a name in the struct only, never in the text. */
	FUZZ_MUST(!json_rows_parse(&sample_table, strbuf_str(&first), first.n, "again", &again));
	json_rows_format(&sample_table, &again, &second);
	FUZZ_MUST(first.n == second.n && memcmp(first.at, second.at, first.n) == 0);
	return 0;
}
