/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The lines of the report that a test in a guest gives, one struct and one table of rows for each
 * kind of wire/reports.def. The suite writes them, the harness reads them as foreign bytes.
 */
#ifndef KTSTR_EXCHANGE_REPORT_H
#define KTSTR_EXCHANGE_REPORT_H

#include <ktstr/ktstr.h>

#include "base/vec.h"
#include "exchange/codecs.h"
#include "topo/cpuset.h"
#include "wire/report.h"

enum {
	/* Bytes of a text in one line: of a note, a part, a name. The writer cuts what is longer.
	 */
	EXCHANGE_LIMIT_TEXT = 16 << 10,
	/* Bytes of a name that is read: cut or not, it is shorter. */
	EXCHANGE_LIMIT_NAME = 32 << 10,
	EXCHANGE_LIMIT_FILE_NAME = 200,
	/* Of one line, which is shorter than that in any case. */
	EXCHANGE_LIMIT_METRICS = 200000,
	EXCHANGE_LIMIT_ARGS = 200000,
};

/* What a worker measured, as the suite reports it and records keep it. */
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

bool exchange_worker_never_started(const struct exchange_worker *worker);
bool exchange_worker_was_killed(const struct exchange_worker *worker);
/* Whether it stopped or had to be killed: it worked until it was asked to stop. */
bool exchange_worker_worked_to_the_end(const struct exchange_worker *worker);

struct exchange_begin {
	char *test;
	uint32_t api, pid; /* KTSTR_API_VERSION of the suite; pid of the test binary */
};

/* When a stage was entered, by the guest's clock from the test's begin. */
struct exchange_stage {
	enum wire_stage name;
	uint64_t at_ms;
};

struct exchange_note {
	char *text;
};

struct exchange_part {
	enum ktstr_reason reason;
	char *text;
	char *file; /* NULL: no place in the source */
	int32_t line;
};

struct exchange_started {
	char *name;
	uint32_t pid;
	VEC(char *) argv;
	uint64_t argv_dropped; /* arguments that did not fit into the line */
};

struct exchange_metric {
	char *name;
	char *number; /* exactly as JSON */
};

/* Unit and direction of the metrics whose names end like this. */
struct exchange_hint {
	char *metric, *unit;
	enum ktstr_direction direction;
};

/* The first that fits, NULL when none does. */
const struct exchange_hint *exchange_hint_find(const struct exchange_hint *hints, size_t n,
					       const char *metric);
/*
 * Whether such a metric is work per time: its unit ends in "/s", and less of it is not better. With
 * a virtual clock it is not judged. False for NULL.
 */
bool exchange_hint_is_rate(const struct exchange_hint *hint);

struct exchange_payload {
	char *name;
	uint32_t pid;
	bool ended;	   /* not in the line: false while only its start was reported */
	int32_t exit_code; /* negative: minus the signal; INT32_MIN: unknown */
	bool timed_out, by_cleanup;
	uint64_t wall_ms, stdout_bytes, stderr_bytes, dropped_bytes;
	char *stream; /* where the metrics were: "stdout", "stderr"; NULL: none were looked for */
	VEC(struct exchange_hint) hints;
	VEC(struct exchange_metric) metrics;
	uint64_t metrics_dropped; /* that did not fit into the line */
};

struct exchange_cgroup {
	char *name;
	struct topo_cpuset cpus; /* what the kernel gave it */
};

enum exchange_state {
	EXCHANGE_STARTED,
	EXCHANGE_ATTACHED,
	EXCHANGE_FAILED,
	EXCHANGE_ENDED,
};

struct exchange_scheduler_line {
	enum exchange_state state;
	uint32_t pid; /* 0: not in the line */
	char *ops, *end, *kernel_reason, *events;
	bool has_attach_ms, has_asked, has_restarts;
	uint64_t attach_ms, restarts;
	bool asked;
};

/* A piece of a file that is kept beside the record. */
struct exchange_text {
	char *name; /* letters, digits, "._-" */
	struct strbuf text;
};

struct exchange_end {
	uint64_t parts;
};

struct exchange_line {
	enum wire_report_kind kind;
	union {
		struct exchange_begin begin;
		struct exchange_stage stage;
		struct exchange_note note;
		struct exchange_part part;
		struct exchange_started started;
		struct exchange_payload payload;
		struct exchange_cgroup cgroup;
		struct exchange_worker worker;
		struct exchange_scheduler_line scheduler;
		struct exchange_text text;
		struct exchange_end end;
	};
};

extern const char *const exchange_stage_names[WIRE_N_STAGES];
/* Of the struct of that kind. */
extern const struct json_rows *const exchange_rows[WIRE_N_REPORT_KINDS];
/* Those of lines whose lists are written one by one, as far as there is room. */
extern const struct json_rows exchange_started_head, exchange_payload_head;

/* Without the newline; BASE_PARSE, BASE_LIMIT. *ret is untouched on failure. */
struct error *exchange_line_parse(const char *text, size_t n, struct exchange_line *ret) MUST_CHECK;
void exchange_line_deinit(struct exchange_line *line);
#define _cleanup_exchange_line_ __attribute__((cleanup(exchange_line_deinit)))
void exchange_payload_deinit(struct exchange_payload *payload);

/* What is known of the scheduler under test when the report is over. */
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

#endif
