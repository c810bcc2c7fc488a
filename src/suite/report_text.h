/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A report for a person who runs a test by hand. */
#ifndef KTSTR_SUITE_REPORT_TEXT_H
#define KTSTR_SUITE_REPORT_TEXT_H

#include <stdio.h>

/* One line of a report, newline included. */
void suite_report_text_print(FILE *to, const char *line, size_t n);

#endif
