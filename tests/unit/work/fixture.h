/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Workers for a short time, and what the kernel says of them. */
#ifndef KTSTR_TESTS_WORK_FIXTURE_H
#define KTSTR_TESTS_WORK_FIXTURE_H

#include <sched.h>

#include "unit.h"
#include "work/group.h"
#include "work/work.h"

/* Far more than anything takes here; only a hang reaches it. */
#define PATIENCE_NS (UINT64_C(10) * 1000 * 1000 * 1000)

void sleep_ms(unsigned int ms);

/* Starts and, if asked, opens the gate. */
struct work_group *started(struct work_gate *gate, const struct ktstr_work *spec, bool open);

/* CPU time and time slices so far as /proc/PID/schedstat has them. */
bool kernel_says(pid_t pid, uint64_t *ret_run_ns, uint64_t *ret_timeslices);
/* Waits until the kernel has given it so much more CPU time, or it is gone. */
void wait_for_cpu_time(pid_t pid, uint64_t more_ns);
/* As /proc/PID/stat has it: 'S' asleep, 'T' stopped. */
void wait_for_state(pid_t pid, char state);
/* Until the report says that the worker is gone. */
void wait_for_end(struct work_group *group, size_t i, struct work_report *ret);

/* The CPUs we may run on; skips the test if fewer than n. */
void need_cpus(cpu_set_t *ret, int n);
int nth_cpu(const cpu_set_t *set, int n);
void pin(pid_t pid, int cpu);

bool no_children_left(void);

/* A worker of this very process, past the gate. */
struct in_process {
	struct work_self self;
	struct work_slot slot;
	_Atomic uint32_t stop;
};

void in_process_begin(struct in_process *p, uint32_t burst_ms, uint32_t sleep_ms_);

#endif
