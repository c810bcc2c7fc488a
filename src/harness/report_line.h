/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One line of a test's report and what it adds. The guest is foreign: so is every byte. */
#ifndef KTSTR_HARNESS_REPORT_LINE_H
#define KTSTR_HARNESS_REPORT_LINE_H

#include "harness/test_report.h"

/* What one report may hold at most; past it is BASE_LIMIT. Lines have their limits in wire. */
enum {
	REPORT_PARTS_LIMIT = 4096,
	REPORT_NOTES_LIMIT = 4096,
	REPORT_PAYLOADS_LIMIT = 4096,
	REPORT_WORKERS_LIMIT = 4096,
	REPORT_CGROUPS_LIMIT = 256,
	/* Of all payloads together. */
	REPORT_METRICS_LIMIT = 200000,
	REPORT_TEXTS_LIMIT = 32,
	REPORT_TEXT_BYTES_LIMIT = 16 << 20,
	/* Names of tests, payloads, cgroups, kinds and kept files. */
	REPORT_NAME_BYTES_LIMIT = 255,
};

/* Without its newline. An error leaves the report as it was. */
struct error *report_line_take(struct test_report *report, const char *line, size_t n) MUST_CHECK;

/* Whether a test may say this about itself: the others only the host can know. */
bool report_reason_is_the_guests(enum ktstr_reason reason);

void reported_payload_deinit(struct reported_payload *payload);
void reported_worker_deinit(struct reported_worker *worker);

#endif
