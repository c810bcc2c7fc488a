/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The inside of a group of workers; for this room. */
#ifndef KTSTR_WORK_GROUP_H
#define KTSTR_WORK_GROUP_H

#include "work/slot.h"
#include "work/work.h"

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

/* How long somebody with these figures has wanted a CPU and has none. */
uint64_t work_report_stall_ns(const struct work_slot_figures *figures, uint64_t now_ns);

/* The report without pid and CPUs. `now_ns` is the moment of it for one that has no end of its own.
 */
void work_report_fill(const struct work_slot_figures *figures, uint64_t opened_at_ns,
		      uint64_t now_ns, struct work_report *report);

#endif
