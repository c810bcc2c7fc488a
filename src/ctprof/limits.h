/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every bound of what files of snapshots may cost. */
#ifndef KTSTR_CTPROF_LIMITS_H
#define KTSTR_CTPROF_LIMITS_H

#include <stdint.h>

/* Half of the memory that is free, but never less or more than this, holds a loaded snapshot. */
#define SNAPSHOT_MEMORY_LEAST (UINT64_C(256) << 20)
#define SNAPSHOT_MEMORY_MOST  (UINT64_C(16) << 30)
/* JSON takes about four times the memory of what it says; more than this is padding. */
#define SNAPSHOT_JSON_PER_MEMORY 16

enum {
	/* One thread, or one member of the object that is neither threads nor cgroups. */
	SNAPSHOT_THREAD_BYTES_LIMIT = 4 << 20,
	SNAPSHOT_MEMBER_BYTES_LIMIT = 32 << 20,
	SNAPSHOT_KEY_BYTES_LIMIT = 64 << 10,
	/* CPUs that one thread may be allowed to run on. */
	SNAPSHOT_CPUS_LIMIT = 1 << 18,
	/* Distinct sets of what is known; each thread has one. */
	SNAPSHOT_SETS_LIMIT = 1 << 20,
	/* zstd's window: 2^27 bytes is what its own tools accept. */
	SNAPSHOT_WINDOW_LOG_LIMIT = 27,
	/* Frames that are looked for in one file. */
	SNAPSHOT_FRAMES_LIMIT = 1 << 24,
};

#endif
