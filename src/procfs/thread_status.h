/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What /proc/PID/task/TID/status says about a thread's scheduling; see proc(5). */
#ifndef KTSTR_PROCFS_THREAD_STATUS_H
#define KTSTR_PROCFS_THREAD_STATUS_H

#include "procfs/fields.h"
#include "base/slice.h"

enum thread_status_field {
	THREAD_STATUS_STATE, /* the letter */
	THREAD_STATUS_THREADS,
	THREAD_STATUS_VOLUNTARY_CSW,
	THREAD_STATUS_NONVOLUNTARY_CSW,
	N_THREAD_STATUS_FIELDS,
};

struct thread_status {
	struct proc_fields fields;
	struct slice cpus; /* the value of Cpus_allowed_list, in the text; n is 0 when absent */
};

/* False when not one of the lines is there. */
bool thread_status_parse(const char *text, size_t n, struct thread_status *ret);

#endif
