/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Workers that make load and measure what the scheduler gave them. Each is a forked
 * process: placed in its cgroup first, then at the gate, then at work until it is stopped.
 *
 *	work_gate_new(&gate);
 *	work_gate_set_seed(gate, seed);                         if they are to be staggered
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

#include <ktstr/ktstr.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "topo/cpuset.h"

/* Why work could not begin. */

#define WORK_ERRORS(X)                                                           \
	X(WORK_SPEC, "work-spec", "the description of the work is not valid")    \
	X(WORK_START, "work-start", "a worker could not be started")             \
	X(WORK_PLACE, "work-place", "a worker could not be put into its cgroup") \
	X(WORK_LATE, "work-late", "workers were not ready in time")
DECLARE_ERROR_DOMAIN(work, WORK, WORK_ERRORS);

/* Every bound and every interval of this room. */

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
	/* A staggered worker begins less than this after the gate: about a tick of the kernel. */
	WORK_LIMIT_OFFSET_NS = 4 * 1000 * 1000,
};

/*
 * A CPU set that changes is shown by the kernel before it has moved the last task: for so long a
 * worker may still be on a CPU of the set before.
 */
#define WORK_MOVE_NS (UINT64_C(1000) * 1000 * 1000)

/* The least time that a killed worker is given to die before it is called stuck. */
#define WORK_DEATH_NS (UINT64_C(10) * 1000 * 1000 * 1000)

/*
 * Where workers wait until all of them are there. Several groups may wait at one gate, so
 * that no cgroup gets a head start while the parent is kept from opening a second one.
 */

struct work_gate;

/* Shared with children forked later. It outlives the groups that wait at it. */
struct error *work_gate_new(struct work_gate **ret) MUST_CHECK;
void work_gate_free(struct work_gate *gate);
/* Releases all waiters; later ones do not wait. Opening it again has no effect. */
void work_gate_open(struct work_gate *gate);
/* CLOCK_MONOTONIC; 0 while it is closed. */
uint64_t work_gate_opened_at_ns(struct work_gate *gate);

/*
 * Workers that are started later at this gate begin at offsets that the seed decides, each sleeping
 * that long after the gate was opened; in their figures it is a sleep that was asked for. 0, as
 * at first: all begin at once.
 */
void work_gate_set_seed(struct work_gate *gate, uint64_t seed);

/* For this room: counts workers that are about to be started; returns the number of the first. */
unsigned int work_gate_enrol(struct work_gate *gate, unsigned int n);
uint64_t work_gate_offset_ns(const struct work_gate *gate, unsigned int worker);
/* For this room: waits until the gate is open (true) or `stop` is set (false). */
bool work_gate_wait(struct work_gate *gate, _Atomic uint32_t *stop);
/* Those who wait look at their stop flag again. */
void work_gate_nudge(struct work_gate *gate);

DEFINE_CLEANUP(work_gate, struct work_gate *, NULL, work_gate_free);
#define _cleanup_work_gate_ _cleanup_(cleanup_work_gate)

/* What a seed decides about starts. The seed 0 decides nothing: declared order, no offsets. */

/* The numbers 0 to n - 1, in the order in which groups are to be started. */
void work_start_order(uint64_t seed, size_t n, size_t *ret);
/* Below WORK_LIMIT_OFFSET_NS. */
uint64_t work_start_offset_ns(uint64_t seed, unsigned int worker);

/* The kinds of work: rows of <ktstr/work_kinds.def>, each with the file of its step here. */

struct work_self;

/* One iteration, or as much of it as there was time for; returns soon after a stop. */
typedef void work_step_fn(struct work_self *self);

#define KTSTR_WORK_KIND(id, name, ...) work_step_fn work_step_##name;
#include <ktstr/work_kinds.def>
#undef KTSTR_WORK_KIND

struct work_kind_info {
	const char *name;
	const char *meaning;
	const char *iteration; /* what is counted as one */
	work_step_fn *step;
	bool computes; /* the CPU times of its workers can be compared */
	struct ktstr_work
		normal; /* parameters where nothing is said; 0: it does not have that one */
};

/* NULL for KTSTR_WORK_NONE and for a number that is not a kind. */
const struct work_kind_info *work_kind_info(enum ktstr_work_kind kind);

/* A parameter of work_params.def in a struct ktstr_work. */
struct work_param {
	const char *name;
	size_t offset;
	const char *words; /* what a worker does in that time */
};
extern const struct work_param work_params[];
extern const size_t work_n_params;
unsigned int *work_param_of(struct ktstr_work *work, const struct work_param *param);
/* The work with its kind's parameters where it has none; the kind must be one. */
struct ktstr_work work_resolve(const struct ktstr_work *work);

enum work_end {
#define END(id, word, meaning) WORK_END_##id,
#include "work/ends.def"
#undef END
	WORK_N_ENDS
};

const char *work_end_name(enum work_end end);

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
	bool has_run_delay; /* false: not reported by the kernel, and the next field is invalid */
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
 * The work is over: remembers the state of each worker at this moment. What it does later, on its
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
