/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* /proc/pressure/ and the *.pressure files of a cgroup: stalls for want of a resource. */
#ifndef KTSTR_PROCFS_PRESSURE_H
#define KTSTR_PROCFS_PRESSURE_H

#include "base/error.h"
#include "procfs/reading.h"

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
/* dir/cpu<suffix> and so on: ("/proc/pressure", ""), (a cgroup's folder, ".pressure"). */
void procfs_pressure_read(const char *dir, const char *suffix, struct procfs_pressure *ret);
/* The same below an open folder. */
void procfs_pressure_read_at(int dir, const char *suffix, struct procfs_pressure *ret);

#endif
