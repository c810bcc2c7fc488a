/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whether a worker runs under sched_ext, sampled from outside of it. A scheduler may leave tasks to
 * the kernel's own (SCX_OPS_SWITCH_PARTIAL), and one that goes away leaves all of them.
 */
#ifndef KTSTR_SUITE_CLASS_WATCH_H
#define KTSTR_SUITE_CLASS_WATCH_H

#include <sys/types.h>

#include "base/macros.h"

struct suite_class_watch {
	uint64_t ext_samples, other_samples; /* of 0 and 0 nothing is known */
	/* CPU time between two samples of one class; between two that differ it is nobody's. */
	uint64_t ext_ns, other_ns;

	bool was_ext_;
	uint64_t cpu_ns_;
};

/* `cpu_ns` is its CPU time now. A task whose class cannot be read adds nothing. */
void suite_class_watch_sample(struct suite_class_watch *watch, const char *proc, pid_t pid,
			      uint64_t cpu_ns);

#endif
