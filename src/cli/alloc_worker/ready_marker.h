/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file by which a worker says that it is ready: whoever started it waits
 * until the file exists. One rule for both sides; libc only, no allocation.
 */
#ifndef KTSTR_CLI_ALLOC_WORKER_READY_MARKER_H
#define KTSTR_CLI_ALLOC_WORKER_READY_MARKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>

#define READY_MARKER_OVERRIDE_ENV "KTSTR_WORKER_READY_MARKER_OVERRIDE"
#define READY_MARKER_TEXT	  "ready\n"

/* False when the path does not fit. An empty override counts as none. */
static inline bool ready_marker_path(pid_t pid, char *ret, size_t n)
{
	const char *override = getenv(READY_MARKER_OVERRIDE_ENV);
	int length;

	if (override && *override)
		length = snprintf(ret, n, "%s", override);
	else
		length = snprintf(ret, n, "/tmp/ktstr-worker-ready-%d", (int)pid);
	return length >= 0 && (size_t)length < n;
}

#endif
