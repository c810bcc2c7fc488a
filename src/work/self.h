/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a worker knows of itself, and the only ways it works and sleeps: each of them
 * keeps the figures. A checkpoint ("look") reads the clock and the CPU number. Looks
 * are made by time, not by a count of iterations, so what happens between two of them is
 * bounded by less than a millisecond of work, whatever the kind.
 */
#ifndef KTSTR_WORK_SELF_H
#define KTSTR_WORK_SELF_H

#include "work/kind.h"
#include "work/slot.h"

struct work_self {
	/* Set by whoever makes one. */
	struct work_slot *slot;
	_Atomic uint32_t *stop;
	struct ktstr_work work; /* with its parameters */
	int schedstat_fd;	/* of this thread; -1: its run delay is unknown */
	int cpus_fd; /* the CPU set of its cgroup; -1: its CPUs are not compared with it */

	/* Figures as they will be published; a step adds to iterations only. */
	struct work_slot_figures figures;
	uint64_t opened_at_ns;
	uint64_t cpu_before_ns;
	uint64_t delay_before_ns;
	uint64_t published_ns;
	uint64_t delay_read_ns;
	struct topo_cpuset cpus, cpus_before; /* of the cgroup, and the one that it replaced */
	uint64_t cpus_read_ns, cpus_moved_ns;
	/* A CPU that was not in the set, when, and what the set was; 0 ns: none is waited for. */
	unsigned int stray_cpu;
	uint64_t stray_at_ns;
	struct topo_cpuset stray_had;
	uint32_t units_per_look;
	uint64_t chain;
};

/* At the gate, before it opens: what was used until now is not counted. */
void work_self_prepare(struct work_self *self);
/* The first look; a late start is a gap that begins when the gate was opened. */
void work_self_begin(struct work_self *self, uint64_t opened_at_ns);
/* A last look, with everything published. */
void work_self_end(struct work_self *self);

bool work_self_stopped(const struct work_self *self);
void work_checkpoint(struct work_self *self);
/* So much arithmetic, without a look. */
void work_self_units(struct work_self *self, uint32_t units);
/* Arithmetic up to the next look; returns how many units. */
uint32_t work_self_spin(struct work_self *self);
/* By the clock, not by CPU time. False when a stop cut it short. */
bool work_self_spin_for(struct work_self *self, uint64_t ns);
/* A look, a sleep, a look. What was asked for is no gap, what came on top is. False as above. */
bool work_self_sleep(struct work_self *self, uint64_t ns);

/* Ends a sleep when the stop flag is set too. Blocked in a worker: it waits for it while asleep. */
int work_stop_signal(void);

#endif
