/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every bound of the room. */
#ifndef KTSTR_REPORT_LIMITS_H
#define KTSTR_REPORT_LIMITS_H

enum {
	/* Tests of one plan. */
	REPORT_TESTS_LIMIT = 1 << 20,
	/* One foreign text in the formats that carry texts whole: what is more is counted. */
	REPORT_TEXT_BYTES_LIMIT = 64 << 10,
	/* Lines of one foreign text that people are shown; the record has the rest. */
	REPORT_TEXT_LINES_LIMIT = 12,
	/* Parts, and notes, of one test that people are shown unless they ask for more. */
	REPORT_ITEMS_LIMIT = 8,
	/* Tests between a failure and the end before failures are told again there. */
	REPORT_RECAP_DISTANCE = 20,
	REPORT_NAME_COLUMNS_MIN = 24,
	REPORT_NAME_COLUMNS_MAX = 60,
	/* The live line is not redrawn more often. */
	REPORT_LIVE_INTERVAL_MS = 100,
	/* How long somebody who does not read is waited for after Ctrl-C. */
	REPORT_HURRY_MS = 500,
};

#endif
