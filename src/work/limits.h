/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every bound and every interval of this room. */
#ifndef KTSTR_WORK_LIMITS_H
#define KTSTR_WORK_LIMITS_H

#include <stdint.h>

enum {
	WORK_LIMIT_WORKERS = 4096, /* of one group */
	WORK_LIMIT_MS = 3600 * 1000,
	/*
	 * A spinning worker aims at this distance between two checkpoints. A tenth of the
	 * millisecond that is promised, since the speed of a guest's CPU changes.
	 */
	WORK_LOOK_NS = 100 * 1000,
	/* Figures in shared memory are at most this old while a worker runs. */
	WORK_PUBLISH_NS = 1000 * 1000,
	/* Reading a file of /proc costs far more than a checkpoint. */
	WORK_SCHEDSTAT_NS = 10 * 1000 * 1000,
	/* The same for the CPU set of the cgroup; it is also read after every migration. */
	WORK_CPUS_NS = 10 * 1000 * 1000,
	/* Text of a CPU set; a longer one is not known. */
	WORK_LIMIT_CPUS_BYTES = 4096,
	/* Steps of arithmetic in one unit of work, and units between two checkpoints. */
	WORK_UNIT_STEPS = 1024,
	WORK_LIMIT_UNITS_PER_LOOK = 1 << 14,
};

/*
 * A CPU set that changes is shown by the kernel before it has moved the last task: for so long a
 * worker may still be on a CPU of the set before.
 */
#define WORK_MOVE_NS (UINT64_C(1000) * 1000 * 1000)

/* The least time that a killed worker is given to die before it is called stuck. */
#define WORK_DEATH_NS (UINT64_C(10) * 1000 * 1000 * 1000)

#endif
