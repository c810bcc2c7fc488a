/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* /proc/pressure/ and the *.pressure files of a cgroup: stalls for want of a resource. */
#ifndef KTSTR_PROCFS_PRESSURE_H
#define KTSTR_PROCFS_PRESSURE_H

#include "base/error.h"
#include "procfs/reading.h"

#define PRESSURE_RESOURCES(X)	     X(CPU, "cpu") X(MEMORY, "memory") X(IO, "io") X(IRQ, "irq")
#define PRESSURE_RESOURCE_(id, word) PRESSURE_##id,
enum pressure_resource { PRESSURE_RESOURCES(PRESSURE_RESOURCE_) N_PRESSURE_RESOURCES };
#undef PRESSURE_RESOURCE_

enum { PRESSURE_SOME, PRESSURE_FULL, N_PRESSURE_HALVES };

/*
 * PRESSURE_VALUE(member, key in the kernel's file, unit, description). PERCENT is in hundredths,
 * and the kernel's arithmetic can exceed 100.00 a little.
 */
#define PRESSURE_VALUES(X)                                      \
	X(avg10, "avg10", PERCENT, "share of the last 10 s")    \
	X(avg60, "avg60", PERCENT, "share of the last 60 s")    \
	X(avg300, "avg300", PERCENT, "share of the last 300 s") \
	X(total_usec, "total", US, "time since the kernel began to count")

enum { PRESSURE_PERCENT_LIMIT = UINT16_MAX };

struct pressure_half {
	bool known; /* there was such a line */
#define PRESSURE_MEMBER_(member, ...) uint64_t member;
	PRESSURE_VALUES(PRESSURE_MEMBER_)
#undef PRESSURE_MEMBER_
};

struct pressure_file {
	bool known; /* the file could be read */
	struct pressure_half half[N_PRESSURE_HALVES];
};

struct pressure {
	struct pressure_file resources[N_PRESSURE_RESOURCES];
};

/* "cpu" and so on; "some" and "full". */
extern const char *const pressure_resource_names[N_PRESSURE_RESOURCES];
extern const char *const pressure_half_names[N_PRESSURE_HALVES];

/* Lines that begin with `some` or `full`; others are passed over. A bad value is 0. */
void pressure_file_parse(const char *text, size_t n, struct pressure_file *ret);
/* dir/cpu<suffix> and so on: ("/proc/pressure", ""), (a cgroup's folder, ".pressure"). */
void pressure_read(const char *dir, const char *suffix, struct pressure *ret);
/* The same below an open folder. */
void pressure_read_at(int dir, const char *suffix, struct pressure *ret);

#endif
