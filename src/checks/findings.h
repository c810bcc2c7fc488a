/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What came of the checks: parts of a verdict, and notes of what was seen. */
#ifndef KTSTR_CHECKS_FINDINGS_H
#define KTSTR_CHECKS_FINDINGS_H

#include <ktstr/ktstr.h>

#include "base/macros.h"
#include "base/vec.h"

enum {
	/* Parts that one check of one cgroup may add; the rest is counted. */
	CHECKS_LIMIT_PARTS = 8,
};

struct checks_part {
	enum ktstr_reason reason;
	char *text;
};

struct checks_findings {
	VEC(struct checks_part) parts;
	VEC(char *) notes;
	size_t added_; /* parts of the check at hand, with those that were only counted */
};

void checks_note(struct checks_findings *findings, const char *fmt, ...) PRINTF_LIKE(2, 3);
void checks_part(struct checks_findings *findings, enum ktstr_reason reason, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
/* The check is over: notes how many parts were only counted. */
void checks_end(struct checks_findings *findings, const char *check, const char *cgroup);

void checks_findings_deinit(struct checks_findings *findings);
#define _cleanup_checks_findings_ __attribute__((cleanup(checks_findings_deinit)))

#endif
