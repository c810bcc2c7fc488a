/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scheduling policies by name: SCHED_OTHER … SCHED_EXT, others SCHED_UNKNOWN(n). */
#ifndef KTSTR_METRIC_POLICY_H
#define KTSTR_METRIC_POLICY_H

#include "base/strbuf.h"

/* The kernel's numbers; 4 was never given to anybody. */
#define METRIC_POLICIES(X)     \
	X(0, "SCHED_OTHER")    \
	X(1, "SCHED_FIFO")     \
	X(2, "SCHED_RR")       \
	X(3, "SCHED_BATCH")    \
	X(5, "SCHED_IDLE")     \
	X(6, "SCHED_DEADLINE") \
	X(7, "SCHED_EXT")

void metric_policy_format(uint64_t policy, struct strbuf *into);
/* Exactly what metric_policy_format() writes; false when it is not that. */
bool metric_policy_parse(const char *text, size_t n, uint64_t *ret);

#endif
