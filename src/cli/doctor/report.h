/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the checks found, for people and for programs. */
#ifndef KTSTR_CLI_DOCTOR_REPORT_H
#define KTSTR_CLI_DOCTOR_REPORT_H

#include "cli/doctor/check.h"

struct doctor_report {
	const struct check *checks; /* borrowed */
	struct finding *findings;   /* one for each */
	size_t n;
};

/* Runs them one after the other. */
void doctor_report_make(const struct check *checks, size_t n, const char *root,
			struct doctor_report *ret);
void doctor_report_deinit(struct doctor_report *report);
#define _cleanup_doctor_report_ __attribute__((cleanup(doctor_report_deinit)))

/* columns 0 means as wide as needed. */
void doctor_report_format(const struct doctor_report *report, size_t columns, struct strbuf *into);
void doctor_report_format_json(const struct doctor_report *report, struct strbuf *into);
/* EXIT_OK when nothing is missing, else EXIT_FAILED. */
int doctor_report_exit_code(const struct doctor_report *report);

#endif
