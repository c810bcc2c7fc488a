/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A record read back: what it takes to show the run and to do it again. The bytes are foreign:
 * every text and list is bounded and a verdict is believed only with a reason that gives it.
 * NULL, 0 and empty lists are what the record does not say.
 */
#ifndef KTSTR_RESULT_PAST_RUN_H
#define KTSTR_RESULT_PAST_RUN_H

#include "base/error.h"
#include "base/vec.h"
#include "result/outcome.h"

struct past_texts {
	VEC(char *) list;
};

struct past_file {
	char *name, *path, *hash, *build_id;
};

struct past_run {
	bool finished; /* else it was started, and nothing after that is known */
	char *test, *id, *name, *suite, *source, *topology, *scheduler, *timestamp, *run_id;
	struct {
		char *id, *release, *build_id, *source;
	} kernel;
	struct past_texts sysctls; /* as the record has them: "sysctl.NAME=VALUE" */
	/* The process that started it. */
	uint64_t runner_pid, runner_start_jiffies;

	/* Of a finished one. */
	enum ktstr_verdict verdict;
	enum ktstr_reason reason;
	char *why, *kept_dir;
	char *problem; /* why this record is not where it was started */
	bool has_wall;
	uint64_t wall_ms;
	VEC(struct outcome_part) parts;
	struct past_texts notes;

	struct {
		struct past_file binary;
		char *test, *topology, *kernel_id, *kernel_build_id, *command;
		uint64_t memory_bytes;
		struct past_texts kernel_args, scheduler_argv;
		VEC(struct past_file) files;
	} rerun;
};

/*
 * BASE_PARSE when the bytes are no record of a run, or one of a newer schema; BASE_LIMIT. *ret
 * is untouched then.
 */
struct error *past_run_parse(const char *text, size_t n, const char *label,
			     struct past_run *ret) MUST_CHECK;
/* The same for a regular file; BASE_IO and BASE_ABSENT too. */
struct error *past_run_read(const char *path, struct past_run *ret) MUST_CHECK;
void past_run_deinit(struct past_run *run);
#define _cleanup_past_run_ __attribute__((cleanup(past_run_deinit)))

#endif
