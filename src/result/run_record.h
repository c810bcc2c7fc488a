/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The record of one executed variant, `<test>-<id>.ktstr.json`. It is on disk before the guest
 * is, says "started" until the outcome is known, and is then replaced whole; a runner that dies
 * in between leaves a record that says so. A file that is there is never overwritten: the same
 * variant, run again into the same directory, is `<test>-<id>-2.ktstr.json`.
 *
 * Others may append to the record's `metrics` at any time (record.h): what they wrote is kept.
 * The lock file beside a record is removed when the record is finished.
 */
#ifndef KTSTR_RESULT_RUN_RECORD_H
#define KTSTR_RESULT_RUN_RECORD_H

#include "exchange/declaration.h"
#include "host/host_facts.h"
#include "result/outcome.h"
#include "result/record.h"

/*
 * What a record says, as it is written and as it is read: ktstr-record(5) is made from these rows.
 * A writer lends every text; a reader owns them (result_run_deinit()). NULL, 0 and empty
 * lists are what the record does not say.
 */

/* Raised when a reader of older records would misunderstand newer ones. */
enum { RESULT_SCHEMA = 2, RESULT_OLDEST_SCHEMA = 1 };

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
	const char *id;	      /* of the variant */
	const char *suite;    /* the binary's name */
	const char *name;     /* of the variant, as reports show it */
	const char *source;   /* "mytests.c:12" */
	const char *topology; /* what is booted, not what was declared */
	uint64_t memory_bytes;
	struct result_clock clock;
	bool has_seed, has_speed; /* of a virtual clock */
	/* Millions of instructions per second of the guest's time: one CPU when all are busy, and
	 * all of them together. */
	double cpu_mips, total_mips;
	const char *scheduler;		   /* its words; "": the kernel's own */
	struct exchange_text_list sysctls; /* "sysctl.NAME=VALUE" */
	struct exchange_text_list kernel_args;
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
	/* What a rerun needs. A writer fills the first four, the rest is as above. */
	struct {
		struct result_file binary;
		struct exchange_text_list scheduler_argv;
		struct {
			const struct result_file *at;
			size_t n;
		} files;
		const char *command; /* the `ktstr test` line that runs this variant alone */
		const char *test, *topology, *kernel_id, *kernel_build_id;
		uint64_t memory_bytes;
		struct exchange_text_list kernel_args;
	} rerun;

	/* Of a finished one. */
	enum ktstr_verdict verdict;
	enum ktstr_reason reason;
	const char *why, *kept_dir;
	bool passed, skipped;
	const char *problem;  /* why this record is not where it was started */
	const char *left_out; /* what had no room */
	struct {
		const struct exchange_part *at;
		size_t n;
	} parts;
	struct exchange_text_list notes, kept_files;
	bool has_wall, has_cleanup, has_host_run_delay, cloned;
	uint64_t wall_ms, cleanup_ms, host_run_delay_ns;
	const char *accel, *accel_reason; /* NULL: no guest came to be */
	const char *qemu_version;
	/* Of a virtual clock; hashes are 16 hexadecimal digits. */
	const char *ktstr_hash;	 /* of what ktstr brings into the machine */
	const char *tools_hash;	 /* of the guest's busybox and what it needs */
	const char *files_hash;	 /* of all files that were sent into the guest */
	const char *digest;	 /* of all that the guest sent */
	const char *frames_file; /* beside the record, see frames.h */
	bool has_turn, has_guest_end;
	double turn_us;
	uint64_t guest_end_ns;
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

/* The record on disk. */

typedef void (*result_members_fn)(void *context, struct json_writer *w);

/* All of these are borrowed. */
struct result_record_result {
	/* Verdict, reason, why, parts, notes, wall_ns, kept_dir. */
	const struct result_outcome *outcome;
	/*
	 * What the outcome does not know: stages, files that are kept, and of the guest how it was
	 * accelerated, which is NULL when none came to be.
	 */
	struct result_run run;
	const struct exchange_payload *payloads; /* metrics that are not numbers are left out */
	size_t n_payloads;
	/*
	 * Members of the object `stats`, and members of the record itself (workers, cgroups,
	 * payloads, scheduler_run …). May be NULL; may be called twice.
	 */
	result_members_fn write_stats, write_facts;
	void *context;
	const struct json_rows *stats_rows; /* of what write_stats writes, or NULL */
};

struct result_record;

/*
 * Makes the directory if need be and writes the record as started. Nothing of head is kept
 * borrowed. BASE_IO, BASE_LIMIT.
 */
struct error *result_record_begin(const char *dir, const struct result_run *head,
				  struct result_record **ret) MUST_CHECK;
void result_record_free(struct result_record *record);
DEFINE_CLEANUP(result_run_record, struct result_record *, NULL, result_record_free);
#define _cleanup_result_run_record_ _cleanup_(cleanup_result_run_record)

/* Where it is: what _finish() may change. Borrowed. */
const char *result_record_path(const struct result_record *record);

/*
 * Writes the outcome. When the record cannot be replaced (it was removed, damaged, exchanged,
 * its lock is held for 30 s, or for half a second of a run that was cancelled) the result goes to a
 * new name, and *ret_problem, else NULL, says why. An error: it is nowhere, the record is as it
 * was.
 */
struct error *result_record_finish(struct result_record *record,
				   const struct result_record_result *result,
				   const struct cancel *cancel,
				   struct error **ret_problem) MUST_CHECK;

/* The text of a run's record, without a disk. */

/* The identity of this run, and when it began. */
struct result_stamp {
	uint64_t unix_sec;
	uint64_t pid;
	uint64_t start_time_jiffies; /* of the runner's process; 0 when it could not be read */
	unsigned int counter;
};

/* "2026-11-15T14:30:05Z" */
char *result_format_time(uint64_t unix_sec) MUST_CHECK;
/* "2026-11-15T14:30:05Z-4711-0" */
char *result_format_run_id(const struct result_stamp *stamp) MUST_CHECK;

/* The members that never change, as text between the braces. */
void result_format_head(const struct result_run *head, const struct result_stamp *stamp,
			struct strbuf *into);
void result_format_started(const struct strbuf *head, struct strbuf *into);

/*
 * The whole record. `kept` is the text of the elements that `metrics` has already, without the
 * brackets. `problem`, or NULL: why this is not where it should be. BASE_LIMIT when it is too
 * large even without the members that callers write and without metrics of ours.
 */
struct error *result_format_finished(const struct strbuf *head,
				     const struct result_record_result *result,
				     struct json_text kept, size_t n_kept, const char *problem,
				     struct strbuf *into) MUST_CHECK;

/*
 * The elements of `metrics` in a record that was started with this run id. BASE_PARSE when the
 * bytes are not such a record.
 */
struct error *result_find_kept(const char *record, size_t n, const char *label, const char *run_id,
			       struct json_text *ret_kept, size_t *ret_n) MUST_CHECK;

/*
 * A record read back. The bytes are foreign: every text and list is bounded and a verdict is
 * believed only with a reason that gives it.
 */

/*
 * BASE_PARSE when the bytes are not a record of a run, or one of a newer schema; BASE_LIMIT. *ret
 * is untouched then.
 */
struct error *result_run_parse(const char *text, size_t n, const char *label,
			       struct result_run *ret) MUST_CHECK;
/* The same for a regular file; BASE_IO and BASE_ABSENT too. */
struct error *result_run_read(const char *path, struct result_run *ret) MUST_CHECK;
void result_run_deinit(struct result_run *run);
/* Whether the process that started it is still there, on this machine. */
bool result_run_has_runner(const struct result_run *run);
#define _cleanup_result_run_ __attribute__((cleanup(result_run_deinit)))

/*
 * Which commit a file was built from, as far as its place can tell: what is checked out in the git
 * repository around it. Changes that were not committed are not seen.
 */

/*
 * `path` is absolute. BASE_ABSENT when no repository is around it, or nothing was committed there;
 * BASE_PARSE when the repository has another form than this knows. The caller owns *ret.
 */
struct error *result_commit_of(const char *path, char **ret) MUST_CHECK;

#endif
