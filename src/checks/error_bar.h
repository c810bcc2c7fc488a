/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the host may have added to a time that was measured in a guest, and what follows from it. */
#ifndef KTSTR_CHECKS_ERROR_BAR_H
#define KTSTR_CHECKS_ERROR_BAR_H

#include "base/strbuf.h"
#include "checks/check.h"

enum {
	/* How long one vCPU may keep the others waiting when all share a host thread. */
	CHECKS_ERROR_BAR_TCG_TURN_MS = 100,
};

enum checks_error_bar_kind {
	CHECKS_ERROR_BAR_SHARE, /* of the time, in percent */
	CHECKS_ERROR_BAR_WAIT,	/* one wait, in ms */
	CHECKS_ERROR_BAR_STALL, /* waits one after the other, in ms */
};

struct checks_error_bar {
	const struct checks_disturbance *from; /* borrowed */
	bool has;			       /* false: unknown */
	double value;			       /* in the unit of what was measured */
	enum checks_error_bar_kind kind;
};

/* For a share of the time of the work, in percent. */
struct checks_error_bar checks_error_bar_of_share(const struct checks_disturbance *disturbance);
/* For a single wait, in milliseconds. */
struct checks_error_bar checks_error_bar_of_wait(const struct checks_disturbance *disturbance);
/* For a time that may be made of many waits, in milliseconds. */
struct checks_error_bar checks_error_bar_of_stall(const struct checks_disturbance *disturbance);

/*
 * At most the limit holds: NONE. But a share can also look better than it was: with a bar above
 * the limit nothing is known of it, HOST_BUSY. A wait is never shorter than it was. More than the
 * limit even without the bar: CHECK. Between: HOST_BUSY, or NO_EVIDENCE when the bar is unknown.
 * What does not hold is told in *ret_text, which begins with `what` and is the caller's; untouched
 * for NONE.
 */
enum ktstr_reason checks_error_bar_decide(const struct checks_error_bar *bar, const char *what,
					  double measured, double limit, const char *unit,
					  char **ret_text);
/* "spread left 3.1 % of at most 15 %, error bar 8 %". The caller owns it. */
char *checks_error_bar_format(const struct checks_error_bar *bar, const char *check,
			      const char *name, double measured, double limit,
			      const char *unit) MUST_CHECK;
/* Both: the line as a note, and a part when the limit, from above, does not hold. */
void checks_error_bar_judge(const struct checks_error_bar *bar, struct checks_subject *subject,
			    const char *check, const char *what, double measured, double limit,
			    const char *unit);

#endif
