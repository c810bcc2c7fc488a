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

/* Averages in hundredths of a percent; the kernel's arithmetic can exceed 100.00 a little. */
struct pressure_half {
	bool known; /* there was such a line */
	uint16_t avg10, avg60, avg300;
	uint64_t total_usec;
};

struct pressure_file {
	bool known; /* the file could be read */
	struct pressure_half some, full;
};

struct pressure {
	struct pressure_file resources[N_PRESSURE_RESOURCES];
};

/* "cpu" and so on. */
const char *pressure_resource_word(enum pressure_resource resource);

/* Lines that begin with `some` or `full`; others are passed over. A bad value is 0. */
void pressure_file_parse(const char *text, size_t n, struct pressure_file *ret);
/* dir/cpu<suffix> and so on: ("/proc/pressure", ""), (a cgroup's folder, ".pressure"). */
void pressure_read(const char *dir, const char *suffix, struct pressure *ret);
/* The same below an open folder. */
void pressure_read_at(int dir, const char *suffix, struct pressure *ret);

#endif
