/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts and times of a run, for people. */
#ifndef KTSTR_REPORT_WORDS_H
#define KTSTR_REPORT_WORDS_H

#include "base/strbuf.h"
#include "result/verdict.h"

/* "5.3 s", "999.9 s", "16 min 40 s", "2 h 03 min"; rounded down: what is not over is not told. */
void words_format_duration(struct strbuf *into, uint64_t ns);
/* Seconds of something that still runs: "5 s", "12 min 05 s". */
void words_format_elapsed(struct strbuf *into, uint64_t ns);
/* "12 tests: 9 passed, 1 failed, 1 skipped, 1 broken, 1 inconclusive, 3 not run". */
void words_format_counts(struct strbuf *into, const size_t counts[KTSTR_N_VERDICTS],
			 size_t n_tests);

#endif
