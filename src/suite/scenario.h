/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The work of .cgroups: its workers wait at one gate, work, stop and tell what they got. */
#ifndef KTSTR_SUITE_SCENARIO_H
#define KTSTR_SUITE_SCENARIO_H

#include "suite/report_writer.h"
#include "work/work.h"

struct suite_scenario {
	struct work_gate *gate;
	struct {
		const struct ktstr_cgroup *cgroup;
		struct work_group *group;
		struct suite_class_watch *classes; /* one for each worker */
	} rows[KTSTR_MAX_CGROUPS];		   /* in the order of the declaration */
	size_t n;
	uint64_t seed;	 /* set before the start: decides the order and the offsets of starts */
	bool watch_cpus; /* set before the start: isolation is asked for */
	size_t next_;	 /* the worker whose class is looked at next, counted over all rows */
	bool stuck;	 /* a worker could not even be killed */
};

/* Every worker of every cgroup at the gate. A subtree of -1: they stay in our cgroup. */
struct error *suite_scenario_start(struct suite_scenario *scenario, const struct ktstr_test *test,
				   int subtree_fd, uint64_t limit_ms) MUST_CHECK;
void suite_scenario_open_gate(struct suite_scenario *scenario);
/* Samples the class of so many workers, those first that were not looked at for longest. */
void suite_scenario_sample_classes(struct suite_scenario *scenario, const char *proc, size_t most);
/* Ends and reports them. */
void suite_scenario_stop(struct suite_scenario *scenario, uint64_t limit_ms,
			 struct suite_report_writer *report);
/* Kills what still runs, but does not wait for what cannot die. */
void suite_scenario_deinit(struct suite_scenario *scenario);

/*
 * Whether a worker runs under sched_ext, sampled from outside of it. A scheduler may leave tasks to
 * the kernel's own (SCX_OPS_SWITCH_PARTIAL), and one that goes away leaves all of them.
 */

struct suite_class_watch {
	uint64_t ext_samples, other_samples; /* of 0 and 0 nothing is known */
	/* CPU time between two samples of one class; between two that differ it counts for none. */
	uint64_t ext_ns, other_ns;

	bool was_ext_;
	uint64_t cpu_ns_;
};

/* `cpu_ns` is its CPU time now. A task whose class cannot be read adds nothing. */
void suite_class_watch_sample(struct suite_class_watch *watch, const char *proc, pid_t pid,
			      uint64_t cpu_ns);

#endif
