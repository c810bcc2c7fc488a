/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the cgroup v2 filesystem says about one cgroup. cgroup.def has a row for each value. */
#ifndef KTSTR_PROCFS_CGROUP_H
#define KTSTR_PROCFS_CGROUP_H

#include "base/error.h"
#include "procfs/reading.h"

/* /proc/pressure/ and the *.pressure files of a cgroup: stalls for want of a resource. */

#define PROCFS_PRESSURE_RESOURCES(X)	    X(CPU, "cpu") X(MEMORY, "memory") X(IO, "io") X(IRQ, "irq")
#define PROCFS_PRESSURE_RESOURCE_(id, word) PROCFS_PRESSURE_##id,
enum procfs_pressure_resource {
	PROCFS_PRESSURE_RESOURCES(PROCFS_PRESSURE_RESOURCE_) PROCFS_N_PRESSURE_RESOURCES
};
#undef PROCFS_PRESSURE_RESOURCE_

enum { PROCFS_PRESSURE_SOME, PROCFS_PRESSURE_FULL, PROCFS_N_PRESSURE_HALVES };

/*
 * PROCFS_PRESSURE_VALUE(member, key in the kernel's file, unit, description). PERCENT is in
 * hundredths, and the kernel's arithmetic can exceed 100.00 a little.
 */
#define PROCFS_PRESSURE_VALUES(X)                               \
	X(avg10, "avg10", PERCENT, "share of the last 10 s")    \
	X(avg60, "avg60", PERCENT, "share of the last 60 s")    \
	X(avg300, "avg300", PERCENT, "share of the last 300 s") \
	X(total_usec, "total", US, "time since the kernel began to count")

enum { PROCFS_LIMIT_PRESSURE_PERCENT = UINT16_MAX };

struct procfs_pressure_half {
	bool known; /* there was such a line */
#define PROCFS_PRESSURE_MEMBER_(member, ...) uint64_t member;
	PROCFS_PRESSURE_VALUES(PROCFS_PRESSURE_MEMBER_)
#undef PROCFS_PRESSURE_MEMBER_
};

struct procfs_pressure_file {
	bool known; /* the file could be read */
	struct procfs_pressure_half half[PROCFS_N_PRESSURE_HALVES];
};

struct procfs_pressure {
	struct procfs_pressure_file resources[PROCFS_N_PRESSURE_RESOURCES];
};

/* "cpu" and so on; "some" and "full". */
extern const char *const procfs_pressure_resource_names[PROCFS_N_PRESSURE_RESOURCES];
extern const char *const procfs_pressure_half_names[PROCFS_N_PRESSURE_HALVES];

/* Lines that begin with `some` or `full`; others are passed over. A bad value is 0. */
void procfs_pressure_file_parse(const char *text, size_t n, struct procfs_pressure_file *ret);
/* dir/cpu<suffix> and so on: ("/proc/pressure", ""), (a cgroup's directory, ".pressure"). */
void procfs_pressure_read(const char *dir, const char *suffix, struct procfs_pressure *ret);
/* The same below an open directory. */
void procfs_pressure_read_at(int dir, const char *suffix, struct procfs_pressure *ret);

enum {
	/* What the kernel takes when only a quota is written. */
	PROCFS_CGROUP_DEFAULT_PERIOD_US = 100000,
	PROCFS_CGROUP_IO_STAT_WORDS = 65536,
};

/* How a value is written, in its file and in a snapshot. */
enum procfs_cgroup_form {
	PROCFS_CGROUP_FORM_LINE,     /* a number behind its key in the file */
	PROCFS_CGROUP_FORM_NUMBER,   /* all of the file */
	PROCFS_CGROUP_FORM_OPTIONAL, /* a number; null in a snapshot when it is not known */
	PROCFS_CGROUP_FORM_QUOTA,    /* first word of the file: a number or "max" */
	PROCFS_CGROUP_FORM_PERIOD,   /* second word; the kernel's default when it is not there */
	PROCFS_CGROUP_FORM_LIMIT,    /* a number or "max", which is null in a snapshot */
	PROCFS_CGROUP_FORM_FLOOR,    /* a number or "max", which is 2^64 - 1 in a snapshot */
	PROCFS_CGROUP_FORM_NICE,     /* a signed number: two's complement */
	PROCFS_CGROUP_FORM_TEXT,     /* a string of the table, "" (and not known) when absent */
	PROCFS_CGROUP_FORM_TABLE,    /* lines of `name number` */
	PROCFS_CGROUP_FORM_DEVICES,  /* `name=number`, to be added up over lines of devices */
};

struct procfs_cgroup_stats {
	bool known; /* the directory was there */
#define CGROUP_VALUE(group, key, ...) struct procfs_reading group##_##key;
#define CGROUP_TABLE(group, key, ...) struct procfs_named_readings group##_##key;
#include "procfs/cgroup.def"
	struct procfs_pressure pressure;
};

/* path is the cgroup's directory; keys and texts go into names. */
void procfs_cgroup_stats_read(const char *path, struct intern *names,
			      struct procfs_cgroup_stats *ret);
void procfs_cgroup_stats_deinit(struct procfs_cgroup_stats *stats);

/* Sets every value that the file has; what it does not say stays as it was. */
void procfs_cgroup_file_parse(const char *file, const char *text, size_t n, struct intern *names,
			      struct procfs_cgroup_stats *stats);

/* Where the cgroup v2 tree is mounted, which need not be /sys/fs/cgroup; see proc(5), mountinfo. */

enum {
	PROCFS_CGROUP_MOUNTINFO_BYTES = 64 << 20,
	PROCFS_CGROUP_MOUNTS = 1 << 18,
};

/* The worst that holds. PROCFS_CGROUP_MOUNT_STATE(id, word, what). */
#define PROCFS_CGROUP_MOUNT_STATES(X)                                                            \
	X(UNREADABLE, "unreadable", "the list of mounts could not be read")                      \
	X(NONE, "none", "no cgroup filesystem is mounted")                                       \
	X(V1_ONLY, "v1-only", "only cgroup v1 is mounted")                                       \
	X(OUTSIDE, "outside", "the mount belongs to another cgroup namespace than ours")         \
	X(SUBTREE, "subtree", "only a part of the tree is mounted")                              \
	X(NAMESPACE, "namespace", "paths begin at the root of our own cgroup namespace")         \
	X(SEVERAL, "several", "mounted at more than one place; the one that shows most is read") \
	X(HYBRID, "hybrid", "mounted beside cgroup v1, which may hold the controllers")          \
	X(FOUND, "found", "mounted once and for all controllers")
#define PROCFS_CGROUP_MOUNT_STATE_(id, word, what) PROCFS_CGROUP_MOUNT_##id,
enum procfs_cgroup_mount_state {
	PROCFS_CGROUP_MOUNT_STATES(PROCFS_CGROUP_MOUNT_STATE_) PROCFS_N_CGROUP_MOUNT_STATES
};
#undef PROCFS_CGROUP_MOUNT_STATE_

struct procfs_cgroup_mount {
	enum procfs_cgroup_mount_state state;
	char *path; /* with the caller's root in front; NULL when there is nothing to read */
	char *root; /* which cgroup is seen at that path; "/" for the whole tree */
};

const char *procfs_cgroup_mount_state_name(enum procfs_cgroup_mount_state state);

/*
 * Of /proc/self/mountinfo. A mount that lies below another one counts as absent. own_namespace:
 * this is not the first cgroup namespace.
 */
void procfs_cgroup_mount_parse(const char *text, size_t n, bool own_namespace,
			       struct procfs_cgroup_mount *ret);
/* Reads below root ("" for this machine). */
void procfs_cgroup_mount_find(const char *root, struct procfs_cgroup_mount *ret);
void procfs_cgroup_mount_deinit(struct procfs_cgroup_mount *mount);
#define _cleanup_procfs_cgroup_mount_ _cleanup_(procfs_cgroup_mount_deinit)

/*
 * The directory of a cgroup as /proc/PID/cgroup names it, or NULL when the mount does not show it.
 * The caller owns it.
 */
char *procfs_cgroup_mount_dir(const struct procfs_cgroup_mount *mount, const char *cgroup);

/* /sys/kernel/sched_ext: whether a BPF scheduler runs, and which. */

struct procfs_sched_ext {
	bool known;	/* the directory is there: the kernel can */
	uint32_t state; /* a string, "" when it could not be read */
	uint32_t ops;	/* the scheduler's name, "" when none is loaded */
	struct procfs_reading switch_all, nr_rejected, hotplug_seq, enable_seq;
	struct procfs_named_readings events; /* root/events */
};

/* Reads below root ("" for this machine); texts and keys go into names. */
void procfs_sched_ext_read(const char *root, struct intern *names, struct procfs_sched_ext *ret);
void procfs_sched_ext_deinit(struct procfs_sched_ext *scx);

#endif
