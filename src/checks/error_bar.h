/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the host may have added to a time that was measured in a guest, and what follows from it. */
#ifndef KTSTR_CHECKS_ERROR_BAR_H
#define KTSTR_CHECKS_ERROR_BAR_H

#include "base/strbuf.h"
#include "checks/check.h"

enum {
	/* How long one vCPU may keep the others waiting when all share a host thread. */
	ERROR_BAR_TCG_TURN_MS = 100,
};

enum error_bar_kind {
	ERROR_BAR_SHARE, /* of the time, in percent */
	ERROR_BAR_WAIT,	 /* one wait, in ms */
	ERROR_BAR_STALL, /* waits one after the other, in ms */
};

struct error_bar {
	const struct checks_disturbance *from; /* borrowed */
	bool has;			       /* false: unknown */
	double value;			       /* in the unit of what was measured */
	enum error_bar_kind kind;
};

/* For a share of the time of the work, in percent. */
struct error_bar error_bar_of_share(const struct checks_disturbance *disturbance);
/* For a single wait, in milliseconds. */
struct error_bar error_bar_of_wait(const struct checks_disturbance *disturbance);
/* For a time that may be made of many waits, in milliseconds. */
struct error_bar error_bar_of_stall(const struct checks_disturbance *disturbance);

/*
 * At most the limit holds: NONE. But a share can also look better than it was: with a bar above
 * the limit nothing is known of it, HOST_BUSY. A wait is never shorter than it was. More than the
 * limit even without the bar: CHECK. Between: HOST_BUSY, or NO_EVIDENCE when the bar is unknown.
 * What does not hold is told in *ret_text, which begins with `what` and is the caller's; untouched
 * for NONE.
 */
enum ktstr_reason error_bar_decide(const struct error_bar *bar, const char *what, double measured,
				   double limit, const char *unit, char **ret_text);
/* "spread left 3.1 % of at most 15 %, error bar 8 %". The caller owns it. */
char *error_bar_format(const struct error_bar *bar, const char *check, const char *name,
		       double measured, double limit, const char *unit) MUST_CHECK;
/* Both: the line as a note, and a part when the limit, from above, does not hold. */
void error_bar_judge(const struct error_bar *bar, struct checks_subject *subject, const char *check,
		     const char *what, double measured, double limit, const char *unit);

#endif
