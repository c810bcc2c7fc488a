/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How much the host got in the guest's way: time that QEMU's threads wanted to run and were not
 * let. Measured from outside, so a guest cannot talk itself out of a failed check.
 *
 *	harness_disturbance_begin("/proc", qemu_pid, &watch);      when the work begins
 *	harness_disturbance_sample(&watch);                        now and then
 *	harness_disturbance_end(&watch, is_tcg, vcpus, &found);    when it is over
 */
#ifndef KTSTR_HARNESS_DISTURBANCE_H
#define KTSTR_HARNESS_DISTURBANCE_H

#include "base/vec.h"
#include "checks/facts.h"
#include "procfs/task.h"

struct harness_watched_thread {
	pid_t tid;
	uint64_t first_ns, last_ns;
};

struct harness_disturbance_watch {
	pid_t pid;
	struct procfs_task_dir task;
	uint64_t begun_ns;
	uint64_t longest_ns;
	VEC(struct harness_watched_thread) threads; /* by tid */
	char why[CHECKS_LIMIT_WHY_BYTES]; /* something could not be read; then all is unknown */
};

/* What cannot be read makes the answer unknown; nothing here is an error of a run. */
void harness_disturbance_begin(const char *proc_root, pid_t pid,
			       struct harness_disturbance_watch *ret);
/*
 * A single wait is known only to be no longer than all waits between two samples: the more
 * samples, the smaller the bound.
 */
void harness_disturbance_sample(struct harness_disturbance_watch *watch);
/* Ends the watch and frees it. */
void harness_disturbance_end(struct harness_disturbance_watch *watch, bool tcg, unsigned int vcpus,
			     struct checks_disturbance *ret);
/* For a watch that nobody wants an answer of; fine after the end, and for an empty one. */
void harness_disturbance_watch_deinit(struct harness_disturbance_watch *watch);

#endif
