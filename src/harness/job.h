/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One variant from its record to its outcome. Opened (requirements, record, files), given a
 * guest, run, judged, closed; each by one thread at a time.
 */
#ifndef KTSTR_HARNESS_JOB_H
#define KTSTR_HARNESS_JOB_H

#include "harness/judge.h"
#include "harness/session.h"
#include "host/host_facts.h"
#include "result/run_record.h"

/*
 * One test in one guest that answers: its files go in, it runs, its report comes out. What
 * that means for the verdict is decided elsewhere.
 */

/* What a stream of the test binary may leave in our memory; the first and the last of it. */
enum { HARNESS_GUEST_RUN_STREAM_BYTES = 1 << 20 };

struct harness_guest_stream {
	struct strbuf text;
	uint64_t dropped_bytes;
};

struct harness_guest_run {
	/* What to do. Borrowed. */
	const struct exchange_declared_test *test;
	const struct topo *topology;
	const char *program;	      /* its name in WIRE_TEST_FOLDER */
	const struct strbuf *archive; /* NULL: the files are in */
	/* The test entered a stage; may be NULL. */
	void (*on_stage)(void *context, enum wire_stage stage);
	void *context;

	/* What came of it. */
	enum harness_run_end how;
	struct error *error; /* of the guest, of the report, of the files; NULL */
	struct harness_test_report report;
	struct harness_guest_stream streams[2]; /* VM_STDOUT, VM_STDERR */
	bool has_exit;
	struct vm_end exit; /* of the test binary */
	uint64_t limit_ns, wall_ns;
	uint64_t quiet_ns; /* since the last piece of the report */
	double slowness;
	struct checks_disturbance disturbance;
	struct harness_disturbance_watch watch_; /* while the stage `work` lasts */
	bool watching_;
	uint64_t heard_ns_;
};

/*
 * What can be done before the test begins: its files go in, and its binary is run once to say what
 * it holds, so that an emulated guest has translated most of what the test needs.
 */
struct error *harness_guest_run_warm_up(struct vm *vm, const char *program,
					const struct strbuf *archive,
					const struct cancel *cancel) MUST_CHECK;
/* Never fails: how it ended is in the struct. */
void harness_guest_run(struct harness_guest_run *run, struct vm *vm, const struct cancel *cancel);
void harness_guest_run_deinit(struct harness_guest_run *run);
#define _cleanup_harness_guest_run_ __attribute__((cleanup(harness_guest_run_deinit)))

/*
 * What is kept of a test besides its record: a folder with the guest's console, the test's own
 * output, and the texts its report brought. Names are those of the files in the folder.
 */

struct harness_kept_files {
	VEC(char *) names;
};

void harness_kept_files_deinit(struct harness_kept_files *kept);
#define _cleanup_harness_kept_files_ __attribute__((cleanup(harness_kept_files_deinit)))

/*
 * Makes the folder and fills it. What is empty is left out, and so is a folder with nothing in it.
 * `console` is text, `run` may be NULL when the test never got that far.
 */
struct error *harness_kept_write(const char *dir, const struct strbuf *console,
				 const struct harness_guest_run *run,
				 struct harness_kept_files *ret) MUST_CHECK;

/* The job. */

/* The same for all jobs of a run. Borrowed. */
struct harness_job_setting {
	const struct harness_plan *plan;
	const char *dir; /* records and kept folders */
	enum vm_accel_wish accel;
	bool cold;
	bool keep;		 /* also what passed */
	uint32_t keep_guest_sec; /* of guests that failed; 0: not at all */
	/* Asked before a guest is kept: there may be enough of them. */
	bool (*may_keep_guest)(void *context);
	const struct host_facts *host;
	/* Of each test of the plan; the binary comes first. */
	const struct harness_test_files *(*files_of)(const void *context,
						     const struct exchange_declared_test *test);
	const void *files_context;
	/* Asks for patience: the first machine of a kind is booted. May be NULL. */
	void (*on_template)(void *context, size_t index);
	void (*on_stage)(void *context, size_t index, enum wire_stage stage);
	void *context;
};

struct harness_job {
	const struct harness_job_setting *setting;
	const struct harness_variant *variant;
	size_t index; /* in the plan */
	uint64_t began_ns;
	uint64_t prepared_ns; /* 0: it did not wait for its turn */
	const struct harness_test_files *files;
	char *kernel_args; /* "": none */

	struct result_record *record;
	struct result_outcome outcome;
	struct strbuf archive, console;
	struct vm *vm;
	bool files_in;	  /* the guest that was prepared has them */
	bool settled;	  /* no guest is needed: the outcome has its parts */
	bool keeps_guest; /* it stands still and is to be looked at */
};

/* Never fails: what goes wrong is a part of the outcome. */
void harness_job_open(struct harness_job *job, const struct harness_job_setting *setting,
		      size_t index);
/* Starts QEMU ahead of time, for harness_job_run(). Nothing for a job that is settled. */
void harness_job_prepare(struct harness_job *job, const struct cancel *cancel);
void harness_job_run(struct harness_job *job, const struct cancel *cancel);
void harness_job_deinit(struct harness_job *job);

/* CPU time of the guest is compared: nothing else should run beside it. */
bool harness_job_measures_time(const struct harness_job *job);
bool harness_variant_measures_time(const struct harness_variant *variant);

/* What a job puts on paper: its outcome's head, its record, the names of what is kept. */

/* What is known of the outcome before anything ran. */
void harness_job_describe(const struct harness_job *job, struct result_outcome *ret);
struct error *harness_job_record_begin(struct harness_job *job) MUST_CHECK;
/* The record's path in the outcome, and the line that does it again; a shell can read it. */
void harness_job_describe_record(struct harness_job *job);
/* run and facts are NULL when there was no guest. */
struct error *harness_job_record_finish(struct harness_job *job,
					const struct harness_guest_run *run,
					const struct vm_facts *facts,
					const struct harness_kept_files *kept,
					const struct cancel *cancel) MUST_CHECK;
/* The record's path without what its name ends with. The caller owns it. */
char *harness_job_kept_dir(const struct harness_job *job) MUST_CHECK;

/* What was measured, as members of a record. */

extern const struct json_rows job_stats_rows, harness_job_facts_rows;

/* Both are callbacks of a record; the context is a struct harness_guest_run. */
void harness_job_facts_write_stats(void *context, struct json_writer *w);
void harness_job_facts_write(void *context, struct json_writer *w);

#endif
