/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How true this machine is, measured from inside: how fast a CPU is, for how long it stands still
 * while others run, and how late one CPU hears of another. Processes of the caller are pinned
 * to CPUs for it, so the caller is a process that has nothing else to do.
 */
#ifndef KTSTR_AGENT_MEASURE_H
#define KTSTR_AGENT_MEASURE_H

#include "base/error.h"
#include "base/macros.h"

enum { AGENT_LIMIT_MEASURE_MS = 10000 };

/* What runs on other CPUs while two are looked at. With less than three CPUs nothing does. */
enum agent_load { AGENT_LOAD_QUIET, AGENT_LOAD_ONE_BUSY, AGENT_LOAD_ALL_BUSY, AGENT_N_LOADS };

/* "quiet", "one-busy", "all-busy" */
const char *agent_load_name(enum agent_load load);

struct agent_delays {
	uint64_t n; /* 0: not measured, or there was none */
	uint64_t mean_ns, p50_ns, p99_ns, max_ns;
};

struct agent_model {
	uint32_t cpus;
	/* Thousands of instructions in a second of this machine's time. */
	uint64_t alone_kips; /* one CPU while the others have nothing to do */
	uint64_t busy_kips;  /* one CPU while all are busy: the mean of all */
	uint64_t total_kips;
	/* Interruptions of one busy CPU while the others have nothing to do, and their share. */
	struct agent_delays ticks;
	uint64_t tick_ppm;
	/* All CPUs busy: for how long one stands still; with it, the turn of each other one. */
	struct agent_delays steps;
	uint64_t turn_ns; /* 0 with one CPU */
	/* Between two CPUs; not measured with one. */
	struct agent_delays wake[AGENT_N_LOADS]; /* from futex() to the task that it wakes up */
	struct agent_delays ipi[AGENT_N_LOADS];	 /* membarrier(): there and back */
	/* How late clock_nanosleep() returns. */
	struct agent_delays timer[AGENT_N_LOADS];
};

/*
 * A phase takes about so long in this machine's time. There are four, and three more per load that
 * has its bit (1 << AGENT_LOAD_…) in `loads`.
 */
struct error *agent_measure(uint64_t phase_ns, unsigned int loads,
			    struct agent_model *ret) MUST_CHECK;

/* Two processes per CPU that only compute, on whichever CPU. */
struct agent_spread {
	uint32_t processes;
	uint64_t spread_ppm; /* of CPU time: (most - least) / mean */
	/* The same of the second half: the kernel has balanced its queues by then. */
	uint64_t late_spread_ppm;
	uint64_t gap_ns;     /* the longest time for which one of them did not run */
	uint64_t migrations; /* of all together */
};

struct error *agent_measure_spread(uint64_t ns, struct agent_spread *ret) MUST_CHECK;

#endif
