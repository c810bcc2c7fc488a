/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Folders of runs: `ktstr-results/2026-11-15T14-30-05-4711`, one for each invocation. */
#ifndef KTSTR_RESULT_RUN_FOLDER_H
#define KTSTR_RESULT_RUN_FOLDER_H

#include "base/vec.h"

#define RUN_FOLDER_BASE	     "ktstr-results"
#define RUN_RECORD_FILE_TAIL ".ktstr.json"

/* Makes a folder below base that nobody has: time (UTC) and pid, numbered if need be. */
struct error *run_folder_new(const char *base, char **ret_path) MUST_CHECK;

struct run_names {
	VEC(char *) names; /* sorted, owned */
};

void run_names_deinit(struct run_names *names);
#define _cleanup_run_names_ __attribute__((cleanup(run_names_deinit)))

/* Files in dir whose name ends like a record's. BASE_ABSENT, BASE_IO, BASE_LIMIT. */
struct error *run_folder_records(const char *dir, struct run_names *ret) MUST_CHECK;
/*
 * Directories in dir whose name begins like a run's, or that hold a record: whoever gave a name to
 * his run. The newest first, by the time in the name or else of the directory.
 */
struct error *run_folder_runs(const char *dir, struct run_names *ret) MUST_CHECK;

/*
 * Removes what a runner that was killed left in the folder: locks that nobody holds, temporary
 * files of processes that are gone. Records stay, whatever they say.
 */
struct error *run_folder_sweep(const char *dir) MUST_CHECK;

#endif
