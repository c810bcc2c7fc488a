/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Workers that make load and measure what the scheduler gave them. Each is a forked
 * process: placed in its cgroup first, then at the gate, then at work until it is stopped.
 *
 *	work_gate_new(&gate);
 *	work_start(&work, gate, cgroup_fd, watch_cpus, limit_ns, &group);   once per cgroup
 *	work_gate_open(gate);
 *	work_sample(group, i, &report);                         at any time
 *	work_conclude(group);                                   for each group
 *	work_stop(group, limit_ns);
 *	work_sample(group, i, &report);
 *	work_free(group);
 *	work_gate_free(gate);
 *
 * A group belongs to the thread that started it; its workers die with that thread. SIGCHLD
 * may not be ignored, and nobody else may wait for the workers.
 */
#ifndef KTSTR_WORK_WORK_H
#define KTSTR_WORK_WORK_H

#include <sys/types.h>

#include "topo/cpuset.h"
#include "work/error.h"
#include "work/gate.h"
#include "work/kind.h"
#include "work/limits.h"

enum work_end {
#define END(id, word, meaning) WORK_END_##id,
#include "work/ends.def"
#undef END
	WORK_N_ENDS
};

const char *work_end_name(enum work_end end);
const char *work_end_meaning(enum work_end end);

/*
 * Everything is counted from the opening of the gate to the moment of the report: for a
 * worker that still runs, that is now; for a finished one its last checkpoint; for one
 * that we killed, the kill; for one that went on its own, its last checkpoint, since
 * nothing is known of it later.
 *
 * wall - cpu - voluntary sleep is time that it wanted a CPU and had none.
 */
struct work_report {
	pid_t pid;
	enum work_end end;
	int code; /* exit code when exited, signal number when signalled, else 0 */

	/* A gap does not count the sleep that was asked for in it; one that lasts counts. */
#define COUNTED(name, meaning) uint64_t name;
#include "exchange/figures.def"
#undef COUNTED
	uint64_t wall_ns;
	bool has_run_delay; /* false: the kernel does not tell, and the next field is nothing */
	uint64_t run_delay_ns;
	struct topo_cpuset cpus_used;
	int gap_cpu; /* the last CPU seen when the gap lasts; -1: not known */
	/*
	 * How long it had wanted a CPU and had none when the work was over; a sleep that was asked
	 * for does not count. 0 until work_conclude().
	 */
	uint64_t stall_ns;
	/*
	 * With watch_cpus: CPUs that it was on while its cgroup did not have them, when that was
	 * first so, and what the cgroup had then.
	 */
	bool has_outside; /* false: it could not be compared */
	struct topo_cpuset outside, outside_had;
	uint64_t outside_at_ns;
};

struct work_group;

/*
 * Returns when all workers are at the gate, which may be open already. cgroup_fd is a
 * directory of cgroup v2 (O_PATH will do), -1 to stay in ours. With watch_cpus the workers compare
 * their CPU with the CPU set of that cgroup. A parameter that the kind does not have is refused.
 * On failure nothing runs.
 */
struct error *work_start(const struct ktstr_work *work, struct work_gate *gate, int cgroup_fd,
			 bool watch_cpus, uint64_t limit_ns, struct work_group **ret) MUST_CHECK;
unsigned int work_count(const struct work_group *group);

/* One worker as it is now; i < work_count(). Does not wait for it and does not disturb it. */
void work_sample(struct work_group *group, size_t i, struct work_report *ret);

/*
 * The work is over: remembers how each worker stands at this moment. What it does later, on its
 * way to the end, is not work. work_stop() does it unless it was done.
 */
void work_conclude(struct work_group *group);

/*
 * Asks all to stop and waits up to limit_ns for all of them together; kills the others and waits
 * as long again, WORK_DEATH_NS at least. A worker that a broken scheduler does not even let die
 * in that time is "stuck". Those who ended stay zombies until work_free().
 */
void work_stop(struct work_group *group, uint64_t limit_ns);

/* Kills what runs and reaps every worker, however long one takes to die. */
void work_free(struct work_group *group);

DEFINE_CLEANUP(work_group, struct work_group *, NULL, work_free);
#define _cleanup_work_group_ _cleanup_(cleanup_work_group)

#endif
