/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The words of the report that a test in a guest gives; both sides take them from here. */
#ifndef KTSTR_WIRE_REPORT_H
#define KTSTR_WIRE_REPORT_H

#include "base/macros.h"

enum wire_report_kind {
#define WIRE_REPORT_KIND(id, word, when) WIRE_REPORT_##id,
#include "wire/reports.def"
#undef WIRE_REPORT_KIND
	WIRE_N_REPORT_KINDS
};

enum wire_stage {
#define WIRE_STAGE(id, word, meaning) WIRE_STAGE_##id,
#include "wire/stages.def"
#undef WIRE_STAGE
	WIRE_N_STAGES
};

/* The descriptor that the agent gives a test for its report is named here. */
#define WIRE_REPORT_ENV "KTSTR_REPORT_FD"
/* How many times slower than real hardware the guest is; a decimal number of at least 1. */
#define WIRE_SLOWNESS_ENV "KTSTR_SLOWNESS"
/*
 * What decides the order and the offsets in which workers start: a decimal number of 64 bits. Not
 * set, or 0: they start as declared, all at once. Set with a virtual clock only.
 */
#define WIRE_SEED_ENV "KTSTR_SEED"
/* Where the agent puts the test's files; working directory and in front of PATH. */
#define WIRE_TEST_DIR "/ktstr/test"

enum {
	WIRE_REPORT_FD = 3,
	/* One line with its newline. What does not fit is cut by whoever writes it. */
	WIRE_REPORT_LINE_BYTES = 256 << 10,
	/* All lines of a test. */
	WIRE_REPORT_TOTAL_BYTES = 64 << 20,
};

const char *wire_report_name(enum wire_report_kind kind);
const char *wire_stage_name(enum wire_stage stage);
/* False, and *ret untouched, when there is no such word. */
bool wire_report_find(const char *word, size_t n, enum wire_report_kind *ret) MUST_CHECK;

#endif
