/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* /proc/PID/status and /proc/PID/task/TID/status; see proc(5). */
#ifndef KTSTR_PROCFS_STATUS_H
#define KTSTR_PROCFS_STATUS_H

#include <sys/types.h>

#include "base/error.h"

enum {
	/* Pid namespaces nest at most this deep (MAX_PID_NS_LEVEL is 32). */
	PROC_NSPID_MAX = 33,
	PROC_STATUS_MAX_BYTES = 65536,
};

/*
 * The line NSpid (since Linux 4.1): what the task is called in each pid
 * namespace, from the one of this /proc to its own.
 */
struct proc_nspid {
	pid_t ids[PROC_NSPID_MAX];
	size_t n; /* at least 1 */
};

/* BASE_ABSENT when there is no such line, BASE_PARSE when it makes no sense. */
struct error *proc_nspid_parse(const char *text, size_t n, struct proc_nspid *ret) MUST_CHECK;

/* A line that holds one pid, such as Tgid or TracerPid. Absent and broken as above. */
struct error *proc_status_pid_parse(const char *text, size_t n, const char *name,
				    pid_t *ret) MUST_CHECK;

#endif
