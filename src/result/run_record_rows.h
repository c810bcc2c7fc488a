/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a record says, as it is written and as it is read: ktstr-record(5) is made from these rows.
 * Who writes one lends every text; who read one owns them (past_run_deinit()). NULL, 0 and empty
 * lists are what the record does not say.
 */
#ifndef KTSTR_RESULT_RUN_RECORD_ROWS_H
#define KTSTR_RESULT_RUN_RECORD_ROWS_H

#include "host/host_facts.h"
#include "json/rows.h"
#include "result/metric.h"
#include "result/outcome.h"

/* Raised when a reader of older records would misunderstand newer ones. */
enum { RUN_RECORD_SCHEMA = 2, RUN_RECORD_OLDEST_SCHEMA = 1 };

struct run_record_texts {
	const char *const *at;
	size_t n;
};

/* A file as it was: path on the host, hash of its content, build-id where it has one. */
struct run_record_file {
	const char *name, *path, *hash, *build_id;
};

/* A member that is not there, and why. */
struct run_record_absent {
	const char *member, *why;
};

struct run_record_stage {
	const char *name;
	uint64_t at_ms;
};

struct past_run {
	enum run_record_state {
		RUN_RECORD_STARTED, /* nothing after that is known */
		RUN_RECORD_FINISHED,
		RUN_RECORD_N_STATES,
	} state;

	/* What is known before the guest is started. */
	const char *test;     /* a C identifier; with `id` it makes the file's name */
	const char *id;	      /* result_variant_id() */
	const char *suite;    /* the binary's name */
	const char *name;     /* of the variant, as reports show it */
	const char *source;   /* "mytests.c:12" */
	const char *topology; /* what is booted, not what was declared */
	uint64_t memory_bytes;
	const char *scheduler;		 /* its words; "": the kernel's own */
	struct run_record_texts sysctls; /* "sysctl.NAME=VALUE" */
	struct run_record_texts kernel_args;
	const char *payload;   /* the one that a test is about */
	const char *work_type; /* kinds of work, joined */
	struct {
		const char *id, *release, *build_id, *source, *commit;
	} kernel;
	const char *project_commit, *scheduler_commit;
	struct run_record_absences {
		const struct run_record_absent *at;
		size_t n;
	} absent;
	const struct host_facts *host;
	const char *timestamp, *run_id, *run_source;
	/* The process that started it. */
	uint64_t runner_pid, runner_start_jiffies;
	/* All that doing it again needs. Who writes fills the first four, the rest is as above. */
	struct {
		struct run_record_file binary;
		struct run_record_texts scheduler_argv;
		struct {
			const struct run_record_file *at;
			size_t n;
		} files;
		const char *command; /* the `ktstr test` line that runs this variant alone */
		const char *test, *topology, *kernel_id, *kernel_build_id;
		uint64_t memory_bytes;
		struct run_record_texts kernel_args;
	} rerun;

	/* Of a finished one. */
	enum ktstr_verdict verdict;
	enum ktstr_reason reason;
	const char *why, *kept_dir;
	bool passed, skipped;
	const char *problem;  /* why this record is not where it was started */
	const char *left_out; /* what had no room */
	struct {
		const struct outcome_part *at;
		size_t n;
	} parts;
	struct run_record_texts notes, kept_files;
	bool has_wall, has_cleanup, has_host_run_delay, cloned;
	uint64_t wall_ms, cleanup_ms, host_run_delay_ns;
	const char *accel, *accel_reason; /* NULL: no guest came to be */
	struct {
		const struct run_record_stage *at;
		size_t n;
	} stages;
};

/*
 * The members in the order in which they are written: the state, the verdict of a finished one,
 * what is known from the start, what came of it.
 */
extern const struct json_rows run_record_state_rows, run_record_verdict_rows, run_record_head_rows,
	run_record_fact_rows;

#endif
