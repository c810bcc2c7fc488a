/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * /proc/PID/task/TID/sched: what the scheduler counts for a thread. Which lines there are depends
 * on the kernel's version, its options, the switch kernel.sched_schedstats and the thread's policy.
 */
#ifndef KTSTR_PROCFS_SCHED_H
#define KTSTR_PROCFS_SCHED_H

#include "procfs/fields.h"
#include "base/slice.h"

/*
 * PROC_SCHED(id, key behind its last dot, form). COUNT is a plain number, TIME the kernel's
 * "milliseconds.nanoseconds".
 */
#define PROC_SCHED_FIELDS(X)                                                   \
	X(NR_WAKEUPS, "nr_wakeups", COUNT)                                     \
	X(NR_WAKEUPS_LOCAL, "nr_wakeups_local", COUNT)                         \
	X(NR_WAKEUPS_REMOTE, "nr_wakeups_remote", COUNT)                       \
	X(NR_WAKEUPS_SYNC, "nr_wakeups_sync", COUNT)                           \
	X(NR_WAKEUPS_MIGRATE, "nr_wakeups_migrate", COUNT)                     \
	X(NR_WAKEUPS_AFFINE, "nr_wakeups_affine", COUNT)                       \
	X(NR_WAKEUPS_AFFINE_ATTEMPTS, "nr_wakeups_affine_attempts", COUNT)     \
	X(NR_MIGRATIONS, "nr_migrations", COUNT)                               \
	X(NR_FORCED_MIGRATIONS, "nr_forced_migrations", COUNT)                 \
	X(NR_FAILED_MIGRATIONS_AFFINE, "nr_failed_migrations_affine", COUNT)   \
	X(NR_FAILED_MIGRATIONS_RUNNING, "nr_failed_migrations_running", COUNT) \
	X(NR_FAILED_MIGRATIONS_HOT, "nr_failed_migrations_hot", COUNT)         \
	X(WAIT_SUM_NS, "wait_sum", TIME)                                       \
	X(WAIT_COUNT, "wait_count", COUNT)                                     \
	X(WAIT_MAX_NS, "wait_max", TIME)                                       \
	X(SLEEP_SUM_NS, "sum_sleep_runtime", TIME)                             \
	X(SLEEP_MAX_NS, "sleep_max", TIME)                                     \
	X(BLOCK_SUM_NS, "sum_block_runtime", TIME)                             \
	X(BLOCK_MAX_NS, "block_max", TIME)                                     \
	X(IOWAIT_SUM_NS, "iowait_sum", TIME)                                   \
	X(IOWAIT_COUNT, "iowait_count", COUNT)                                 \
	X(EXEC_MAX_NS, "exec_max", TIME)                                       \
	X(SLICE_MAX_NS, "slice_max", TIME)                                     \
	X(CORE_FORCEIDLE_SUM_NS, "core_forceidle_sum", TIME)                   \
	X(FAIR_SLICE_NS, "slice", COUNT)
#define PROC_SCHED_ENUM_(id, key, form) PROC_SCHED_##id,
enum proc_sched_field {
	PROC_SCHED_FIELDS(PROC_SCHED_ENUM_)
		PROC_SCHED_EXT_ENABLED, /* 0 or 1; the exact key ext.enabled (6.12) */
	N_PROC_SCHED_FIELDS,
};
#undef PROC_SCHED_ENUM_

struct proc_sched {
	struct proc_fields fields;
	unsigned int
		negative_times; /* the kernel printed a time below 0, which is not known then */
};

/* False when not one of the lines is there. */
bool proc_sched_parse(const char *text, size_t n, struct proc_sched *ret);

enum dotted_time { DOTTED_TIME_OK, DOTTED_TIME_NEGATIVE, DOTTED_TIME_BAD };

/* "12.345678" is 12345678 ns, "7.9" 7900000, "15" without a dot 15. */
enum dotted_time dotted_time_parse(struct slice text, uint64_t *ret_ns);

#endif
