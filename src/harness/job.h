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
 * What is kept of a test besides its record: a directory with the guest's console, the test's own
 * output, and the texts its report brought. Names are those of the files in the directory.
 */

/* The pages that a guest with a virtual clock had written, for `ktstr rerun`. */
#define HARNESS_KEPT_PAGES "pages.txt"

struct harness_kept_files {
	VEC(char *) names;
};

void harness_kept_files_deinit(struct harness_kept_files *kept);
#define _cleanup_harness_kept_files_ __attribute__((cleanup(harness_kept_files_deinit)))

/*
 * Makes the directory and fills it. What is empty is left out, and so is a directory with nothing
 * in it. `console` is text, `run` may be NULL when the test never got that far.
 */
struct error *harness_kept_write(const char *dir, const struct strbuf *console,
				 const struct harness_guest_run *run,
				 struct harness_kept_files *ret) MUST_CHECK;

/* The job. */

/* More guests than that are not kept at once: each has its memory. */
enum { HARNESS_LIMIT_RUNNER_KEPT = 4 };

struct harness_runner_options {
	const char *dir; /* records and kept directories */
	enum vm_accel_wish accel;
	bool cold;
	bool keep;		 /* also what passed */
	uint32_t keep_guest_sec; /* guests that hung or panicked, HARNESS_LIMIT_RUNNER_KEPT at a
				    time */
	/* Of each test of the plan; the binary comes first. */
	const struct harness_test_files *(*files_of)(const void *context,
						     const struct exchange_declared_test *test);
	const void *files_context;
	unsigned int jobs;  /* guests at once; at least 1 */
	unsigned int ahead; /* guests that are prepared meanwhile; 0: none */
	bool alone;	    /* a test that compares times has no other guest beside it */
};

/* The same for all jobs of a run. Borrowed. */
struct harness_job_setting {
	const struct harness_plan *plan;
	const struct harness_runner_options *options;
	/* Asked before a guest is kept: there may be enough of them. */
	bool (*may_keep_guest)(void *context);
	const struct host_facts *host;
	const char *qemu_version; /* NULL: unknown */
	const char *tools_hash;	  /* of virtual guests; NULL: there are none, or it is unknown */
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
	char *frames_file; /* beside the record; NULL: none */
	struct vm *vm;
	bool files_in;		      /* the guest that was prepared has them */
	struct vm_settled vm_settled; /* and its CPUs were idle */
	bool settled;		      /* no guest is needed: the outcome has its parts */
	bool keeps_guest;	      /* frozen and kept for inspection */
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

/* 16 hexadecimal digits, as records have hashes. */
void harness_format_hash(uint64_t hash, char ret[HARNESS_VARIANT_ID_CHARS + 1]);
/* The words with blanks between them. The caller owns it. */
char *harness_job_join(const struct exchange_text_list *words) MUST_CHECK;
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
/*
 * Writes what a guest with a virtual clock sent into a file beside the record, which will name it.
 * Nothing for other guests. One that cannot be written is a note of the outcome.
 */
void harness_job_keep_frames(struct harness_job *job, const struct vm_facts *facts);
/* "stdout": what a frame of a record is; "unknown" for a number that none has. */
const char *harness_frame_type_name(uint32_t type);
/* A hash of what ktstr itself brings into a guest's machine. Returns its argument. */
const char *harness_ktstr_hash(char ret[HARNESS_VARIANT_ID_CHARS + 1]);
/* Members that no record has, or not that of such a test on such a host. Returns how many. */
enum { HARNESS_LIMIT_RECORD_ABSENT = 4 };
size_t harness_job_record_absent(uint64_t memory_bytes, const struct host_facts *host,
				 enum vm_clock_kind clock,
				 struct result_absent ret[HARNESS_LIMIT_RECORD_ABSENT]);
/* The record's path without what its name ends with. The caller owns it. */
char *harness_job_kept_dir(const struct harness_job *job) MUST_CHECK;

/* What was measured, as members of a record. */

extern const struct json_rows job_stats_rows, harness_job_facts_rows;

/* Both are callbacks of a record; the context is a struct harness_guest_run. */
void harness_job_facts_write_stats(void *context, struct json_writer *w);
void harness_job_facts_write(void *context, struct json_writer *w);

#endif
