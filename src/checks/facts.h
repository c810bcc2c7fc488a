/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is known of a test that has run, borrowed, and what the checks find in it. */
#ifndef KTSTR_CHECKS_FACTS_H
#define KTSTR_CHECKS_FACTS_H

#include <ktstr/ktstr.h>

#include "base/macros.h"
#include "base/vec.h"
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
	unsigned int workers;	 /* declared */
	struct topo_cpuset cpus; /* what the kernel gave it; empty: not reported */
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

enum {
	/* Parts that one check of one cgroup may add; the rest is counted. */
	CHECKS_LIMIT_PARTS = 8,
};

struct checks_part {
	enum ktstr_reason reason;
	char *text;
};

struct checks_findings {
	VEC(struct checks_part) parts;
	VEC(char *) notes;
	size_t added_; /* parts of the check at hand, with those that were only counted */
};

void checks_note(struct checks_findings *findings, const char *fmt, ...) PRINTF_LIKE(2, 3);
void checks_part(struct checks_findings *findings, enum ktstr_reason reason, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
/* The check is over: notes how many parts were only counted. */
void checks_end(struct checks_findings *findings, const char *check, const char *cgroup);

void checks_findings_deinit(struct checks_findings *findings);
#define _cleanup_checks_findings_ __attribute__((cleanup(checks_findings_deinit)))

/* How unequally the workers of a cgroup got CPU time. */
struct checks_spread {
	/*
	 * Those that can be compared. A worker whose kind does not compute gets as much as its
	 * wake-ups cost, and one that never started gets nothing: neither counts.
	 */
	size_t workers;
	bool known; /* two or more, and some CPU time */
	double pct; /* (max - min) / max */
};

struct checks_spread checks_spread_of(const struct exchange_worker *workers, size_t n,
				      const char *cgroup);

/* How long a worker may be without a CPU before that is a stall. */
enum {
	/* Whatever else runs: far more than a pause that a kernel makes for itself. */
	CHECKS_STALL_LEAST_MS = 1000,
	/* One turn of a worker; five times the longest slice that schedulers use by default. */
	CHECKS_STALL_TURN_MS = 100,
};

/*
 * Every worker of the test may have one turn before it on the CPUs of its cgroup: it is not known
 * who shares them. CPUs that were not reported count as one.
 */
double checks_stall_limit_ms(size_t workers, const struct checks_cgroup *cgroup);

/*
 * The checks of a test, decided on the host from what the workers measured. A check of time has an
 * error bar: what the host itself may have added. docs/VERDICTS.md has the formulas.
 *
 * Adds a part for each that did not hold or could not be decided, and a note for each that was
 * checked. Once the scheduler has ended early nothing else is: what the workers measured then says
 * nothing about it.
 */
void checks_evaluate(const struct checks_facts *facts, struct checks_findings *into);

#endif
