/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One line of a test's report and what it adds. The guest is foreign: so is every byte. */
#ifndef KTSTR_HARNESS_REPORT_LINE_H
#define KTSTR_HARNESS_REPORT_LINE_H

#include "harness/test_report.h"

/* Without its newline. An error leaves the report as it was. */
struct error *harness_report_line_take(struct harness_test_report *report, const char *line,
				       size_t n) MUST_CHECK;

/* Whether a test may say this about itself: the others only the host can know. */
bool harness_reason_allowed_from_guest(enum ktstr_reason reason);

#endif
