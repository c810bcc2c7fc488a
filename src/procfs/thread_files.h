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
	PROC_COMM_MAX = 64,
	PROC_STAT_MAX_BYTES = 4096,
	PROC_SCHEDSTAT_MAX_BYTES = 128,
	PROC_STATUS_MAX_BYTES = 65536,
	/* Pid namespaces nest at most this deep (MAX_PID_NS_LEVEL is 32). */
	PROC_NSPID_MAX = 33,
	/* Of a field whose presence nobody asks for. */
	PROC_FIELD_NO_BIT = UINT8_MAX,
};

enum proc_form {
	PROC_FORM_NUMBER,
	PROC_FORM_I32,	  /* two's complement of an int64_t */
	PROC_FORM_TIME,	  /* the scheduler's "milliseconds.nanoseconds" in ns, or whole ns */
	PROC_FORM_LETTER, /* the first one */
	PROC_FORM_FLAG,	  /* 1 for every number but 0 */
};

struct proc_field {
	const char *key;     /* of a line */
	unsigned int number; /* of a word, from 1 */
	enum proc_form form;
	size_t offset; /* of a uint64_t in what the values go into */
	uint8_t bit;   /* in `known` */
};

struct proc_fields {
	const struct proc_field *at;
	size_t n;
};

struct proc_values {
	void *into;
	uint64_t *known;	     /* bits are set and cleared, never all of them */
	unsigned int negative_times; /* the kernel printed a time below 0: not known then */
	bool any;		     /* something was found */
};

/*
 * The first line of stat, behind the last ')': a name may hold anything else. False when there is
 * no such bracket.
 */
bool proc_stat_fields(struct slice text, struct proc_fields fields, struct proc_values *values);
/* The first line, word by word. False when not one field is in it. */
bool proc_schedstat_fields(struct slice text, struct proc_fields fields,
			   struct proc_values *values);
/*
 * Lines of `key: value`, of status and io. The last line of a key counts, even when it makes no
 * sense. False when not one field is known.
 */
bool proc_lines_fields(struct slice text, struct proc_fields fields, struct proc_values *values);
/*
 * Lines of sched, behind the heading. A key may have a prefix that ends with a dot:
 * se.statistics.wait_max until 5.15, stats.wait_max, wait_max. Which lines there are depends on the
 * kernel's version, its options, the switch kernel.sched_schedstats and the thread's policy. True
 * as well when the only times were below 0.
 */
bool proc_sched_fields(struct slice text, struct proc_fields fields, struct proc_values *values);

/* The value of the first line that has this key at its very start; false when there is none. */
bool proc_line_find(struct slice text, const char *key, struct slice *ret);

/* The path of the v2 tree as our own cgroup namespace shows it. Lines of v1 do not count. */
bool proc_cgroup_parse(struct slice text, struct slice *ret);

enum dotted_time { DOTTED_TIME_OK, DOTTED_TIME_NEGATIVE, DOTTED_TIME_BAD };

/* "12.345678" is 12345678 ns, "7.9" 7900000, "15" without a dot 15. */
enum dotted_time dotted_time_parse(struct slice text, uint64_t *ret_ns);

struct proc_stat {
	char comm[PROC_COMM_MAX]; /* whatever bytes the thread chose, cut at the size */
	char state;
	uint64_t start_time_jiffies;
};

/* The name may hold spaces, brackets and newlines, so it ends at the last ')' there is. */
struct error *proc_stat_parse(const char *text, size_t n, struct proc_stat *ret) MUST_CHECK;

/*
 * A kernel that does not count (CONFIG_SCHED_INFO is off) writes three zeros: for a
 * thread that has run, no timeslices means that nothing here is known.
 */
struct proc_schedstat {
	uint64_t run_time_ns;  /* on a CPU, as of the last tick or switch */
	uint64_t run_delay_ns; /* runnable and waiting for a CPU; a wait that lasts is not in it */
	uint64_t timeslices;
};

/* Strict: the line must be whole. */
struct error *proc_schedstat_parse(const char *text, size_t n,
				   struct proc_schedstat *ret) MUST_CHECK;

/*
 * The line NSpid of status (since Linux 4.1): what the task is called in each pid
 * namespace, from the one of this /proc to its own.
 */
struct proc_nspid {
	pid_t ids[PROC_NSPID_MAX];
	size_t n; /* at least 1 */
};

/* BASE_ABSENT when there is no such line, BASE_PARSE when it makes no sense. */
struct error *proc_nspid_parse(const char *text, size_t n, struct proc_nspid *ret) MUST_CHECK;
/* A line of status that holds one pid, such as Tgid or TracerPid. Absent and broken as above. */
struct error *proc_status_pid_parse(const char *text, size_t n, const char *name,
				    pid_t *ret) MUST_CHECK;

#endif
