/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How much of a host, or of what claims to be one, a capture takes in. */
#ifndef KTSTR_CTPROF_WALK_LIMITS_H
#define KTSTR_CTPROF_WALK_LIMITS_H

enum {
	/* The kernel's own bound is PID_MAX_LIMIT, 4 Mi. */
	WALK_LIMIT_PROCESSES = 4 << 20,
	WALK_LIMIT_THREADS = 4 << 20,
	/* One file of a thread. A status file with all of 65,536 groups has 0.7 MB. */
	WALK_LIMIT_FILE_BYTES = 2 << 20,
	/* Reading in parallel helps as far as the kernel's locks let it. */
	WALK_LIMIT_JOBS = 256,
};

#endif
