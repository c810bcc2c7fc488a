/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The file by which a worker says that it is ready: whoever started it waits
 * until the file exists. One rule for both sides; libc only, no allocation.
 */
#ifndef KTSTR_BASE_READY_MARKER_H
#define KTSTR_BASE_READY_MARKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>

#define READY_MARKER_OVERRIDE_ENV "KTSTR_WORKER_READY_MARKER_OVERRIDE"
#define READY_MARKER_TEXT	  "ready\n"

/*
 * For a worker whose environment has that value of READY_MARKER_OVERRIDE_ENV; NULL or empty
 * counts as none. False when the path does not fit.
 */
static inline bool ready_marker_path_of(pid_t pid, const char *override, char *ret, size_t n)
{
	int length;

	if (override && *override)
		length = snprintf(ret, n, "%s", override);
	else
		length = snprintf(ret, n, "/tmp/ktstr-worker-ready-%d", (int)pid);
	return length >= 0 && (size_t)length < n;
}

/* In our own environment. */
static inline bool ready_marker_path(pid_t pid, char *ret, size_t n)
{
	return ready_marker_path_of(pid, getenv(READY_MARKER_OVERRIDE_ENV), ret, n);
}

#endif
