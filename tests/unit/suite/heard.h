/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A report as it arrives at the other end, for tests of those who write it. */
#ifndef KTSTR_TESTS_SUITE_HEARD_H
#define KTSTR_TESTS_SUITE_HEARD_H

#include "suite/report_writer.h"

struct heard {
	struct suite_report_writer report;
	int file; /* what was written, in a file without a name */
	char *text;
};

void heard_init(struct heard *heard);
void heard_deinit(struct heard *heard);
/* All lines so far. Borrowed until the next call. */
const char *heard_text(struct heard *heard);

#endif
