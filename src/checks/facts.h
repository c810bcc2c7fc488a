/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is known of a test that has run. Everything is borrowed. */
#ifndef KTSTR_CHECKS_FACTS_H
#define KTSTR_CHECKS_FACTS_H

#include <ktstr/ktstr.h>

#include "exchange/scheduler.h"
#include "exchange/worker.h"

enum { CHECKS_LIMIT_WHY_BYTES = 160 };

/* How much the host got in the guest's way while the work lasted. */
struct checks_disturbance {
	bool has; /* false: unknown, which is not none; the three numbers mean nothing */
	char why[CHECKS_LIMIT_WHY_BYTES]; /* it is not known; "" otherwise */
	uint64_t wall_ns;
	uint64_t run_delay_ns;	   /* of the thread that waited most */
	uint64_t longest_delay_ns; /* no single wait was longer than this */
	bool tcg;		   /* the vCPUs take turns on one host thread */
	unsigned int vcpus;
};

/* A cgroup that has work. */
struct checks_cgroup {
	const char *name;
	unsigned int workers; /* declared */
	struct cpuset cpus;   /* what the kernel gave it; empty: not reported */
};

struct checks_facts {
	struct ktstr_checks asked;
	bool has_scheduler, may_restart;
	const struct checks_cgroup *cgroups;
	size_t n_cgroups;
	const struct exchange_worker *workers; /* of all cgroups */
	size_t n_workers;
	const struct exchange_scheduler *scheduler;
	/* The guest has reported that it exited, or that it did not stop. */
	bool exit_reported, stop_reported;
	const struct checks_disturbance *disturbance;
};

#endif
