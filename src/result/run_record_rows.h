/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a record says, as it is written and as it is read: ktstr-record(5) is made from these rows.
 * Who writes one lends every text; who read one owns them (result_run_deinit()). NULL, 0 and empty
 * lists are what the record does not say.
 */
#ifndef KTSTR_RESULT_RUN_RECORD_ROWS_H
#define KTSTR_RESULT_RUN_RECORD_ROWS_H

#include "host/host_facts.h"
#include "json/rows.h"
#include "result/metric.h"
#include "result/outcome.h"

/* Raised when a reader of older records would misunderstand newer ones. */
enum { RESULT_SCHEMA = 2, RESULT_OLDEST_SCHEMA = 1 };

struct result_texts {
	const char *const *at;
	size_t n;
};

/* A file as it was: path on the host, hash of its content, build-id where it has one. */
struct result_file {
	const char *name, *path, *hash, *build_id;
};

/* A member that is not there, and why. */
struct result_absent {
	const char *member, *why;
};

struct result_stage {
	const char *name;
	uint64_t at_ms;
};

struct result_run {
	enum result_state {
		RESULT_STARTED, /* nothing after that is known */
		RESULT_FINISHED,
		RESULT_N_STATES,
	} state;

	/* What is known before the guest is started. */
	const char *test;     /* a C identifier; with `id` it makes the file's name */
	const char *id;	      /* result_variant_id() */
	const char *suite;    /* the binary's name */
	const char *name;     /* of the variant, as reports show it */
	const char *source;   /* "mytests.c:12" */
	const char *topology; /* what is booted, not what was declared */
	uint64_t memory_bytes;
	const char *scheduler;	     /* its words; "": the kernel's own */
	struct result_texts sysctls; /* "sysctl.NAME=VALUE" */
	struct result_texts kernel_args;
	const char *payload;   /* the one that a test is about */
	const char *work_type; /* kinds of work, joined */
	struct {
		const char *id, *release, *build_id, *source, *commit;
	} kernel;
	const char *project_commit, *scheduler_commit;
	struct result_absences {
		const struct result_absent *at;
		size_t n;
	} absent;
	const struct host_facts *host;
	const char *timestamp, *run_id, *run_source;
	/* The process that started it. */
	uint64_t runner_pid, runner_start_jiffies;
	/* All that doing it again needs. Who writes fills the first four, the rest is as above. */
	struct {
		struct result_file binary;
		struct result_texts scheduler_argv;
		struct {
			const struct result_file *at;
			size_t n;
		} files;
		const char *command; /* the `ktstr test` line that runs this variant alone */
		const char *test, *topology, *kernel_id, *kernel_build_id;
		uint64_t memory_bytes;
		struct result_texts kernel_args;
	} rerun;

	/* Of a finished one. */
	enum ktstr_verdict verdict;
	enum ktstr_reason reason;
	const char *why, *kept_dir;
	bool passed, skipped;
	const char *problem;  /* why this record is not where it was started */
	const char *left_out; /* what had no room */
	struct {
		const struct result_part *at;
		size_t n;
	} parts;
	struct result_texts notes, kept_files;
	bool has_wall, has_cleanup, has_host_run_delay, cloned;
	uint64_t wall_ms, cleanup_ms, host_run_delay_ns;
	const char *accel, *accel_reason; /* NULL: no guest came to be */
	struct {
		const struct result_stage *at;
		size_t n;
	} stages;
};

/*
 * The members in the order in which they are written: the state, the verdict of a finished one,
 * what is known from the start, what came of it.
 */
extern const struct json_rows result_state_rows, result_verdict_rows, result_head_rows,
	result_fact_rows;

#endif
