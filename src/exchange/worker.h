/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a worker measured, as the suite reports it and records keep it. */
#ifndef KTSTR_EXCHANGE_WORKER_H
#define KTSTR_EXCHANGE_WORKER_H

#include "json/rows.h"
#include "topo/cpuset.h"

struct exchange_worker {
	char *cgroup, *kind;
	char *end; /* "finished", "killed", "exited 3", "signalled 9", "never-started" */
	uint32_t pid;
#define COUNTED(name, meaning) uint64_t name;
#define DERIVED(name, meaning) uint64_t name;
#define KNOWN(name, has, meaning) \
	bool has;                 \
	uint64_t name;
#include "exchange/figures.def"
#undef KNOWN
#undef DERIVED
#undef COUNTED
	bool has_gap_cpu;
	uint32_t gap_cpu;
	uint64_t stall_ns; /* how long it had wanted a CPU and had none when the work was over */
	struct topo_cpuset cpus; /* really used */
	bool has_outside; /* its CPUs were compared with those of its cgroup, moment by moment */
	struct topo_cpuset outside,
		outside_had;	/* which it used and the cgroup had not; what it had */
	uint64_t outside_at_ns; /* the first time */
	/* Its class, sampled from outside, and the CPU time under each. */
	bool has_class;
	uint64_t ext_samples, other_samples, ext_ns, other_ns;
};

/* The line of a report; and the same without what records do not keep. */
extern const struct json_rows exchange_worker_table, exchange_worker_record;

void exchange_worker_deinit(struct exchange_worker *worker);

bool exchange_worker_never_started(const struct exchange_worker *worker);
bool exchange_worker_was_killed(const struct exchange_worker *worker);
/* Whether it stopped or had to be killed: it worked until it was asked to stop. */
bool exchange_worker_worked_to_the_end(const struct exchange_worker *worker);

#endif
