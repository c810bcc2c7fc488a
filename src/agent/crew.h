/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes that measure together, and what they find. */
#ifndef KTSTR_AGENT_CREW_H
#define KTSTR_AGENT_CREW_H

#include <sched.h>
#include <sys/types.h>

#include "agent/measure.h"

enum { AGENT_LIMIT_SAMPLES = 4096 };

/* Durations; of those that do not fit only number, sum and maximum are kept. */
struct agent_samples {
	uint64_t n, sum_ns, max_ns;
	uint64_t ns[AGENT_LIMIT_SAMPLES];
};

void agent_samples_add(struct agent_samples *samples, uint64_t ns);

/* The CPUs that this process may use, in order. */
struct agent_cpus {
	size_t n;
	unsigned short at[CPU_SETSIZE];
};

struct error *agent_cpus_read(struct agent_cpus *ret) MUST_CHECK;
/* The calling thread; a CPU that went away is an error. */
struct error *agent_pin(unsigned int cpu) MUST_CHECK;
struct error *agent_unpin(const struct agent_cpus *cpus) MUST_CHECK;

/* 2 * n instructions, n > 0. */
static inline void agent_count_down(uint64_t n)
{
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(n) : : "cc");
}

/* What one process of a crew writes; in memory that they share. */
struct agent_worker {
	uint64_t kips;
	uint64_t wall_ns, cpu_ns;
	uint64_t late_cpu_ns; /* of the second half */
	uint64_t migrations;
	struct agent_samples steps;
};

struct agent_crew;

/* n workers, none of which runs yet. */
struct error *agent_crew_new(size_t n, struct agent_crew **ret) MUST_CHECK;
/* Kills and reaps those that run. */
void agent_crew_free(struct agent_crew *crew);
DEFINE_CLEANUP(agent_crew, struct agent_crew *, NULL, agent_crew_free);
#define _cleanup_agent_crew_ _cleanup_(cleanup_agent_crew)

/* In a process of its own, from begin_ns of CLOCK_MONOTONIC, or when it can, for ns. */
typedef void agent_work(struct agent_worker *worker, uint64_t begin_ns, uint64_t ns);
/* All at the same time, to the end: who is done computes until the last one is. Worker i runs on
 * cpus[i], with NULL wherever it likes. */
struct error *agent_crew_work(struct agent_crew *crew, agent_work *work, const unsigned short *cpus,
			      uint64_t ns) MUST_CHECK;
/* Compute until the crew is freed. */
struct error *agent_crew_spin(struct agent_crew *crew, const unsigned short *cpus) MUST_CHECK;

const struct agent_worker *agent_crew_worker(const struct agent_crew *crew, size_t i);
/* Of the steps of all workers. */
struct agent_delays agent_crew_steps(const struct agent_crew *crew);
struct agent_delays agent_samples_delays(const struct agent_samples *samples);

/* measure_delays.c: wake, ipi and timer under one load. */
struct error *agent_measure_delays(const struct agent_cpus *cpus, uint64_t phase_ns,
				   enum agent_load load, struct agent_model *model) MUST_CHECK;

#endif
