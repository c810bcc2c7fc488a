/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A file that appears complete under a name that was free, or not at all. If two want one name,
 * one gets it, the other gets an error and tries the next.
 */
#ifndef KTSTR_RESULT_NEW_FILE_H
#define KTSTR_RESULT_NEW_FILE_H

#include "base/cancel.h"
#include "base/error.h"

/* How a file is kept out of sight until it is whole; the best first. */
enum result_new_file_way {
	RESULT_NEW_FILE_UNNAMED,    /* O_TMPFILE: a killed process leaves nothing */
	RESULT_NEW_FILE_HARD_LINK,  /* a temporary name, linked to its own */
	RESULT_NEW_FILE_NO_REPLACE, /* a temporary name, renamed: for file systems without links */
};

/* Temporary names tell whose they are: ".ktstr-<pid>-<n>". */
#define RESULT_NEW_FILE_TEMPORARY ".ktstr-"

struct result_new_file {
	enum result_new_file_way way;
	int fd;
	char *temporary; /* NULL when it has no name yet */
};

/* Makes the file in dir with these bytes, synced. The best way from `way` on that works here. */
struct error *result_new_file_init(struct result_new_file *file, const char *dir,
				   enum result_new_file_way way, const void *bytes,
				   size_t n) MUST_CHECK;
/* Gives it its name. BASE_IO with EEXIST when the name is taken: try another. */
struct error *result_new_file_publish(struct result_new_file *file, const char *path) MUST_CHECK;
/*
 * Takes the place of the regular file at path, with its mode and owner; the caller sees to it that
 * nobody else does. A process killed in between leaves a temporary name.
 */
struct error *result_new_file_replace(struct result_new_file *file, const char *path) MUST_CHECK;
/* Removes it unless it was published. */
void result_new_file_deinit(struct result_new_file *file);
#define _cleanup_result_new_file_ __attribute__((cleanup(result_new_file_deinit)))

/*
 * A lock file beside a file that is replaced by rename: a lock on the file
 * itself would stay with the old inode. When missing, "<file>.lock" is created with the file's
 * owner, 0600 and more where others may write the file, and stays in place; the lock ends
 * when the descriptor is closed, so also with the process, however it dies.
 */

/* BASE_CANCELLED, BASE_LIMIT when the budget is over, BASE_IO when refused. */
struct error *result_lock_acquire(const char *lock_path, uint64_t budget_ns,
				  const struct cancel *cancel, int *ret_fd) MUST_CHECK;

#endif
