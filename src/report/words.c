// SPDX-License-Identifier: LGPL-2.1-or-later
#include "report/form.h"

#include "base/clock.h"

void report_format_elapsed(struct strbuf *into, uint64_t ns)
{
	unsigned long long s = ns / NS_PER_SEC;

	if (s < 60)
		strbuf_appendf(into, "%llu s", s);
	else if (s < 3600)
		strbuf_appendf(into, "%llu min %02llu s", s / 60, s % 60);
	else
		strbuf_appendf(into, "%llu h %02llu min", s / 3600, s / 60 % 60);
}

void report_format_duration(struct strbuf *into, uint64_t ns)
{
	unsigned long long tenths = ns / (NS_PER_SEC / 10);

	if (tenths >= 10000)
		report_format_elapsed(into, ns);
	else
		strbuf_appendf(into, "%llu.%llu s", tenths / 10, tenths % 10);
}

void report_format_counts(struct strbuf *into, const size_t counts[RESULT_N_VERDICTS],
			  size_t n_tests)
{
	static const struct {
		enum ktstr_verdict verdict;
		const char *word;
	} rows[] = {
		{ KTSTR_PASS, "passed" },
		{ KTSTR_FAIL, "failed" },
		{ KTSTR_SKIP, "skipped" },
		{ KTSTR_BROKEN, "broken" },
		{ KTSTR_INCONCLUSIVE, "inconclusive" },
	};
	const char *before = ": ";
	size_t told = 0;

	_Static_assert(ARRAY_SIZE(rows) == RESULT_N_VERDICTS, "a verdict has no word");
	strbuf_appendf(into, "%zu test%s", n_tests, n_tests == 1 ? "" : "s");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t n = counts[rows[i].verdict];

		if (n == 0)
			continue;
		strbuf_appendf(into, "%s%zu %s", before, n, rows[i].word);
		before = ", ";
		told += n;
	}
	if (told < n_tests)
		strbuf_appendf(into, "%s%zu not run", before, n_tests - told);
}
