/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files of /proc/PID and /proc/PID/task/TID that hold words or lines: stat, schedstat, status, io,
 * sched, cgroup; see proc(5). Which numbers of a file are wanted, and where they go, is a table of
 * the caller's. A number that makes no sense is absent, and the others stay.
 */
#ifndef KTSTR_PROCFS_THREAD_FILES_H
#define KTSTR_PROCFS_THREAD_FILES_H

#include <sys/types.h>

#include "base/error.h"
#include "base/slice.h"

enum {
	/* TASK_COMM_LEN is 16, but a kernel worker's name with its workqueue is longer. */
	PROCFS_COMM_MAX = 64,
	PROCFS_STAT_MAX_BYTES = 4096,
	PROCFS_SCHEDSTAT_MAX_BYTES = 128,
	PROCFS_STATUS_MAX_BYTES = 65536,
	/* Pid namespaces nest at most this deep (MAX_PID_NS_LEVEL is 32). */
	PROCFS_NSPID_MAX = 33,
	/* For a field whose presence is not asked for. */
	PROCFS_FIELD_NO_BIT = UINT8_MAX,
};

enum procfs_form {
	PROCFS_FORM_NUMBER,
	PROCFS_FORM_I32,    /* two's complement of an int64_t */
	PROCFS_FORM_TIME,   /* the scheduler's "milliseconds.nanoseconds" in ns, or whole ns */
	PROCFS_FORM_LETTER, /* the first one */
	PROCFS_FORM_FLAG,   /* 1 for every number but 0 */
};

struct procfs_field {
	const char *key;     /* of a line */
	unsigned int number; /* of a word, from 1 */
	enum procfs_form form;
	size_t offset; /* of a uint64_t in what the values go into */
	uint8_t bit;   /* in `known` */
};

struct procfs_fields {
	const struct procfs_field *at;
	size_t n;
};

struct procfs_values {
	void *into;
	uint64_t *known;	     /* bits are set and cleared, never all of them */
	unsigned int negative_times; /* the kernel printed a time below 0: not known then */
	bool any;		     /* something was found */
};

/*
 * The first line of stat, behind the last ')': a name may hold anything else. False when there is
 * no such bracket.
 */
bool procfs_stat_fields(struct slice text, struct procfs_fields fields,
			struct procfs_values *values);
/* The first line, word by word. False when not one field is in it. */
bool procfs_schedstat_fields(struct slice text, struct procfs_fields fields,
			     struct procfs_values *values);
/*
 * Lines of `key: value`, of status and io. The last line of a key counts, even when it makes no
 * sense. False when not one field is known.
 */
bool procfs_lines_fields(struct slice text, struct procfs_fields fields,
			 struct procfs_values *values);
/*
 * Lines of sched, behind the heading. A key may have a prefix that ends with a dot:
 * se.statistics.wait_max until 5.15, stats.wait_max, wait_max. Which lines there are depends on the
 * kernel's version, its options, the switch kernel.sched_schedstats and the thread's policy. True
 * as well when the only times were below 0.
 */
bool procfs_sched_fields(struct slice text, struct procfs_fields fields,
			 struct procfs_values *values);

/* The value of the first line that has this key at its very start; false when there is none. */
bool procfs_line_find(struct slice text, const char *key, struct slice *ret);

/* The path of the v2 tree as our own cgroup namespace shows it. Lines of v1 do not count. */
bool procfs_cgroup_parse(struct slice text, struct slice *ret);

enum procfs_dotted_time {
	PROCFS_DOTTED_TIME_OK,
	PROCFS_DOTTED_TIME_NEGATIVE,
	PROCFS_DOTTED_TIME_BAD
};

/* "12.345678" is 12345678 ns, "7.9" 7900000, "15" without a dot 15. */
enum procfs_dotted_time procfs_dotted_time_parse(struct slice text, uint64_t *ret_ns);

struct procfs_stat {
	char comm[PROCFS_COMM_MAX]; /* whatever bytes the thread chose, cut at the size */
	char state;
	uint64_t start_time_jiffies;
};

/* The name may hold spaces, brackets and newlines, so it ends at the last ')' there is. */
struct error *procfs_stat_parse(const char *text, size_t n, struct procfs_stat *ret) MUST_CHECK;

/*
 * A kernel that does not count (CONFIG_SCHED_INFO is off) writes three zeros: for a
 * thread that has run, no timeslices means that nothing here is known.
 */
struct procfs_schedstat {
	uint64_t run_time_ns;  /* on a CPU, as of the last tick or switch */
	uint64_t run_delay_ns; /* runnable and waiting for a CPU; a wait that lasts is not in it */
	uint64_t timeslices;
};

/* Strict: the line must be whole. */
struct error *procfs_schedstat_parse(const char *text, size_t n,
				     struct procfs_schedstat *ret) MUST_CHECK;

/*
 * The line NSpid of status (since Linux 4.1): what the task is called in each pid
 * namespace, from the one of this /proc to its own.
 */
struct procfs_nspid {
	pid_t ids[PROCFS_NSPID_MAX];
	size_t n; /* at least 1 */
};

/* BASE_ABSENT when there is no such line, BASE_PARSE when it makes no sense. */
struct error *procfs_nspid_parse(const char *text, size_t n, struct procfs_nspid *ret) MUST_CHECK;
/* A line of status that holds one pid, such as Tgid or TracerPid. Absent and broken as above. */
struct error *procfs_status_pid_parse(const char *text, size_t n, const char *name,
				      pid_t *ret) MUST_CHECK;

#endif
