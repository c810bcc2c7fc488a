/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The numbers of /proc/PID/task/TID/stat and schedstat. Lenient where stat.h is strict: a field
 * that makes no sense is absent and the others stay.
 */
#ifndef KTSTR_PROCFS_THREAD_STAT_H
#define KTSTR_PROCFS_THREAD_STAT_H

#include "procfs/fields.h"

/* THREAD_STAT(id, number of the field in proc(5), type). */
#define THREAD_STAT_FIELDS(X)   \
	X(MINFLT, 10, U64)      \
	X(MAJFLT, 12, U64)      \
	X(UTIME_TICKS, 14, U64) \
	X(STIME_TICKS, 15, U64) \
	X(PRIORITY, 18, I32)    \
	X(NICE, 19, I32)        \
	X(START_TICKS, 22, U64) \
	X(PROCESSOR, 39, I32)   \
	X(RT_PRIORITY, 40, U32) \
	X(POLICY, 41, U32)
#define THREAD_STAT_ENUM_(id, number, type) THREAD_STAT_##id,
enum thread_stat_field { THREAD_STAT_FIELDS(THREAD_STAT_ENUM_) N_THREAD_STAT_FIELDS };
#undef THREAD_STAT_ENUM_

/*
 * The first line, behind the last ')': a name may hold anything else. False when there is no
 * such bracket.
 */
bool thread_stat_parse(const char *text, size_t n, struct proc_fields *ret);

enum thread_schedstat_field {
	THREAD_SCHEDSTAT_RUN_NS,
	THREAD_SCHEDSTAT_WAIT_NS,
	THREAD_SCHEDSTAT_TIMESLICES,
	N_THREAD_SCHEDSTAT_FIELDS,
};

/* The first line. False when not one number is in it. */
bool thread_schedstat_parse(const char *text, size_t n, struct proc_fields *ret);

#endif
