/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One line of /proc/PID/stat or /proc/PID/task/TID/stat; see proc(5). */
#ifndef KTSTR_PROCFS_STAT_H
#define KTSTR_PROCFS_STAT_H

#include "base/error.h"

enum {
	/* TASK_COMM_LEN is 16, but a kernel worker's name with its workqueue is longer. */
	PROC_COMM_MAX = 64,
	PROC_STAT_MAX_BYTES = 4096,
};

struct proc_stat {
	char comm[PROC_COMM_MAX]; /* whatever bytes the thread chose, cut at the size */
	char state;
	uint64_t start_time_jiffies;
};

/* The name may hold spaces, brackets and newlines, so it ends at the last ')' there is. */
struct error *proc_stat_parse(const char *text, size_t n, struct proc_stat *ret) MUST_CHECK;

#endif
