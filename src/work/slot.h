/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A worker's figures in memory shared with its parent: one writer, any number of
 * readers, no lock. Two copies are written in turn, and the version names the one that
 * is whole: a writer that is killed in the middle of a copy leaves the other one.
 */
#ifndef KTSTR_WORK_SLOT_H
#define KTSTR_WORK_SLOT_H

#include <stdatomic.h>

#include "topo/cpuset.h"

enum work_slot_stage {
	WORK_SLOT_WAITING,
	WORK_SLOT_WORKING,
	WORK_SLOT_DONE,	       /* stopped as asked; the figures are final */
	WORK_SLOT_TURNED_AWAY, /* stopped before the gate was opened */
};

/* Times are CLOCK_MONOTONIC. Words of 64 bits throughout: they are copied as such. */
struct work_slot_figures {
#define COUNTED(name, meaning) uint64_t name;
#include "exchange/figures.def"
#undef COUNTED
	uint64_t has_run_delay;
	uint64_t run_delay_ns;	     /* since the gate; nothing while has_run_delay is 0 */
	int64_t gap_cpu;	     /* -1: unknown */
	int64_t cpu;		     /* at the last checkpoint; -1: unknown */
	uint64_t last_checkpoint_ns; /* the moment of the last checkpoint */
	uint64_t asleep_ns;	     /* a sleep asked for at that moment and not over yet */
	uint64_t cpus_checks;	     /* how often the CPU was compared with the cgroup's CPU set */
	uint64_t outside_at_ns;	     /* since the gate: the first time that it was not in the set */
};

enum { WORK_SLOT_WORDS = sizeof(struct work_slot_figures) / sizeof(uint64_t) };

/* The CPUs, hardly ever written, keep the busy words of two slots on different cache lines. */
struct work_slot {
	_Atomic uint64_t version; /* 0: nothing was published */
	_Atomic uint32_t stage;
	_Atomic uint64_t copies[2][WORK_SLOT_WORDS];
	_Atomic uint64_t cpus[TOPO_LIMIT_CPUS / 64];
	_Atomic uint64_t outside[TOPO_LIMIT_CPUS / 64]; /* CPUs that the cgroup did not have then */
	_Atomic uint64_t had[TOPO_LIMIT_CPUS / 64];	/* what it had the first time */
};

void work_slot_publish(struct work_slot *slot, const struct work_slot_figures *figures);
/* False, and nothing written, before the first publication. */
bool work_slot_read(struct work_slot *slot, struct work_slot_figures *ret);
/* Members are only ever added, so the set needs no version. */
void work_slot_add_cpu(struct work_slot *slot, unsigned int cpu);
void work_slot_read_cpus(struct work_slot *slot, struct topo_cpuset *ret);
/* `had` counts the first time. */
void work_slot_add_outside(struct work_slot *slot, unsigned int cpu, const struct topo_cpuset *had);
void work_slot_read_outside(struct work_slot *slot, struct topo_cpuset *ret,
			    struct topo_cpuset *ret_had);

#endif
