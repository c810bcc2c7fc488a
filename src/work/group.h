/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The inside of a group of workers; for this room. */
#ifndef KTSTR_WORK_GROUP_H
#define KTSTR_WORK_GROUP_H

#include "work/work.h"

/*
 * A worker's figures in memory shared with its parent: one writer, any number of
 * readers, no lock. Two copies are written in turn, and the version names the one that
 * is whole: a writer that is killed in the middle of a copy leaves the other one.
 */

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

/* In memory shared with the workers. */
struct work_shared {
	_Atomic uint32_t stop;
	struct work_slot slots[];
};

/* A child until `reaped`: its pid cannot be another's, and it may be signalled. */
struct work_member {
	pid_t pid;
	enum work_end end; /* settled by work_member_settle() */
	int code;
	bool there; /* it said that it is at the gate */
	bool settled;
	bool reaped;
	uint64_t killed_at_ns; /* 0: not by us */
	uint64_t stall_ns;     /* when the work was over */
};

struct work_group {
	struct ktstr_work work; /* defaults filled in */
	bool watch_cpus;
	struct work_gate *gate;
	struct work_shared *shared;
	size_t shared_bytes;
	pid_t pgid;
	unsigned int first; /* the number of its first worker at the gate */
	unsigned int n_started;
	bool concluded;
	bool stopped;
	struct work_member members[];
};

/* Whether the worker has ended, with how; it stays a zombie, so its pid and group stay ours. */
bool work_member_settle(struct work_group *group, size_t i);
/* The same, waiting until deadline_ns of CLOCK_MONOTONIC. */
bool work_member_wait(struct work_group *group, size_t i, uint64_t deadline_ns);
/* How it ended, from what waitid() tells of it. */
enum work_end work_member_end(const struct work_member *member, enum work_slot_stage stage, int how,
			      int status, int *ret_code);
void work_member_kill(struct work_group *group, size_t i);
/* Ends its time as a zombie; after that its pid may be anybody's. */
void work_member_reap(struct work_group *group, size_t i);

/* How long a worker with these figures has been waiting for a CPU. */
uint64_t work_report_stall_ns(const struct work_slot_figures *figures, uint64_t now_ns);

/* The report without pid and CPUs. `now_ns` is the moment of it for one that has no end of its own.
 */
void work_report_fill(const struct work_slot_figures *figures, uint64_t opened_at_ns,
		      uint64_t now_ns, struct work_report *report);

/*
 * What a worker knows of itself, and the only ways it works and sleeps: each of them
 * keeps the figures. A checkpoint ("look") reads the clock and the CPU number. Looks
 * are made by time, not by a count of iterations, so what happens between two of them is
 * bounded by less than a millisecond of work, whatever the kind.
 */

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
/* Sleeps between two checkpoints. Only time beyond ns counts as a gap. False as above. */
bool work_self_sleep(struct work_self *self, uint64_t ns);

/* Ends a sleep when the stop flag is set too. Blocked in a worker: it waits for it while asleep. */
int work_stop_signal(void);

/* The life of one worker, from the fork to its end. */

/* What a worker says before it waits at the gate. */
struct work_worker_status {
	uint32_t worker;
	uint32_t stage;
	int32_t errnum; /* 0: it is at the gate */
};

enum work_worker_stage { WORK_WORKER_SETUP, WORK_WORKER_PLACE };

/* Called in the child with all signals blocked. Word goes out through word_fd. */
_Noreturn void work_worker_run(struct work_group *group, unsigned int i, pid_t parent,
			       int cgroup_fd, int word_fd);

#endif
