/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Directories of runs: `ktstr-results/2026-11-15T14-30-05-4711`, one for each invocation. */
#ifndef KTSTR_RESULT_RUN_DIR_H
#define KTSTR_RESULT_RUN_DIR_H

#include "base/vec.h"

#define RESULT_DIR_BASE		"ktstr-results"
#define RESULT_RECORD_FILE_TAIL ".ktstr.json"

/* Makes a directory below base that nobody has: time (UTC) and pid, numbered if need be. */
struct error *result_dir_new(const char *base, char **ret_path) MUST_CHECK;

struct result_names {
	VEC(char *) names; /* sorted, owned */
};

void result_names_deinit(struct result_names *names);
#define _cleanup_result_names_ __attribute__((cleanup(result_names_deinit)))

/* Files in dir whose name ends like a record's. BASE_ABSENT, BASE_IO, BASE_LIMIT. */
struct error *result_dir_records(const char *dir, struct result_names *ret) MUST_CHECK;
/*
 * Directories in dir whose name begins like a run's, or that hold a record: whoever gave a name to
 * his run. The newest first, by the time in the name or else of the directory.
 */
struct error *result_dir_runs(const char *dir, struct result_names *ret) MUST_CHECK;

/*
 * Removes what a runner that was killed left in the directory: locks that nobody holds, temporary
 * files of processes that are gone, frames beside a record that was not finished and that no record
 * names. Records stay, whatever they say.
 */
struct error *result_dir_sweep(const char *dir) MUST_CHECK;

#endif
