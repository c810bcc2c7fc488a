/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a test in a guest said, as the runner knows it: filled line by line from hostile bytes.
 * Times are the guest's.
 */
#ifndef KTSTR_HARNESS_TEST_REPORT_H
#define KTSTR_HARNESS_TEST_REPORT_H

#include "base/error.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "result/outcome.h"
#include "topo/cpuset.h"
#include "wire/report.h"

struct exchange_metric {
	char *name;
	char *number; /* exactly as JSON */
};

struct exchange_payload {
	char *name;
	uint32_t pid;
	bool ended;    /* false: started, and nobody heard of its end */
	int exit_code; /* negative: minus the signal */
	bool timed_out, by_cleanup;
	uint64_t wall_ms, stdout_bytes, stderr_bytes, dropped_bytes;
	char *stream; /* where the metrics were: "stdout", "stderr"; NULL: none were looked for */
	VEC(struct exchange_metric) metrics;
};

struct exchange_worker {
	char *cgroup, *kind;
	char *end; /* "finished", "killed", "exited 3", "signalled 9", "never-started" */
	uint32_t pid;
	uint64_t iterations, units, cpu_ns, wall_ns, sleep_ns, migrations, samples;
	bool has_run_delay;
	uint64_t run_delay_ns;
	uint64_t max_gap_ns, gap_at_ns;
	bool has_gap_cpu;
	uint32_t gap_cpu;
	uint64_t stall_ns;  /* how long it had wanted a CPU and had none when the work was over */
	struct cpuset cpus; /* really used */
	bool has_outside;   /* its CPUs were compared with those of its cgroup, moment by moment */
	struct cpuset outside, outside_had; /* which it used and the cgroup had not; what it had */
	uint64_t outside_at_ns;		    /* the first time */
	/* Its class, sampled from outside: 0 and 0 samples is not known. CPU time under each. */
	uint64_t ext_samples, other_samples, ext_ns, other_ns;
};

struct exchange_cgroup {
	char *name;
	struct cpuset cpus; /* what the kernel gave it */
};

struct exchange_scheduler {
	bool started, attached, ended;
	uint32_t pid;
	char *ops; /* root/ops once attached; NULL */
	uint64_t attach_ms;
	char *end;	     /* "exited 1", "signalled 9", "stopped" (by us); NULL */
	char *kernel_reason; /* what the kernel said about it; NULL */
	char *events;	     /* root/events as text; NULL */
	bool asked;	     /* it ran when it was asked to end */
	bool has_restarts;   /* false: the kernel does not count them */
	uint64_t restarts;   /* detached and attached again */
};

struct reported_text {
	char *name; /* "scheduler.stderr": letters, digits, "._-" */
	struct strbuf text;
};

/* When a stage was entered, by the guest's clock from the test's begin. */
struct reported_stage {
	enum wire_stage stage;
	uint64_t at_ms;
};

struct test_report {
	bool begun, ended;
	char *test;   /* the name that begin told; NULL */
	uint32_t pid; /* of the test binary */
	bool has_stage;
	enum wire_stage stage;
	VEC(struct reported_stage) stages;
	VEC(struct outcome_part) parts;
	VEC(char *) notes;
	VEC(struct exchange_payload) payloads;
	VEC(struct exchange_worker) workers;
	VEC(struct exchange_cgroup) cgroups;
	struct exchange_scheduler scheduler;
	VEC(struct reported_text) texts;

	struct strbuf partial_; /* a line that has not ended yet */
	uint64_t bytes_;
	uint64_t lines_;
};

void test_report_deinit(struct test_report *report);
#define _cleanup_test_report_ __attribute__((cleanup(test_report_deinit)))

/*
 * The next bytes, cut anywhere. BASE_PARSE: no report (a line that is no object, an unknown word, a
 * member missing or of the wrong type, something before `begin` or behind `end`, a second `end`,
 * a number of parts that is not the number that came); BASE_LIMIT. What was read before stays.
 */
struct error *test_report_take(struct test_report *report, const void *bytes, size_t n) MUST_CHECK;
/* No more bytes: half a line is BASE_PARSE. That `end` never came is no error: see `ended`. */
struct error *test_report_finish(struct test_report *report) MUST_CHECK;

#endif
