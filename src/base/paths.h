/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the programs keep things that outlive them, and things that must not. */
#ifndef KTSTR_BASE_PATHS_H
#define KTSTR_BASE_PATHS_H

#include <string.h>

#include "base/alloc.h"
#include "base/cancel.h"
#include "base/error.h"

/*
 * The directory that holds a path, as dirname(3) has it; the argument stays as it is. The caller
 * owns the string.
 */
static inline char *paths_dirname(const char *path)
{
	size_t n = strlen(path);

	while (n > 1 && path[n - 1] == '/')
		n--;
	while (n && path[n - 1] != '/')
		n--;
	while (n > 1 && path[n - 1] == '/')
		n--;
	return n ? xstrndup(path, n) : xstrdup(".");
}

/*
 * Kernels, templates, package lists: $KTSTR_CACHE_DIR, else $XDG_CACHE_HOME/ktstr, else
 * ~/.cache/ktstr, with `below` appended ("" for the top). Not created. The caller owns the
 * string.
 */
char *paths_cache(const char *below) MUST_CHECK;
/*
 * What running programs show each other: $KTSTR_RUN_DIR, else $XDG_RUNTIME_DIR/ktstr, else
 * /run/ktstr for root, else a directory of the user's own below /tmp.
 */
char *paths_run(const char *below) MUST_CHECK;
/* mkdir -p, new directories with mode; a component that is not a directory is BASE_IO. */
struct error *paths_make(const char *path, unsigned int mode) MUST_CHECK;
/*
 * Removes a file, or a directory with all it holds, never following a link. What is not there is
 * fine.
 */
struct error *paths_remove(const char *path) MUST_CHECK;
/* What a file, or a directory with all it holds, takes on disk; what cannot be read counts as 0. */
uint64_t paths_disk_bytes(const char *path);
/* A regular file that may be executed. */
bool paths_is_program(const char *path);
/* The program that execvp() would run, by an absolute path; NULL when PATH has none. */
char *paths_find_program(const char *name) MUST_CHECK;

/*
 * Locks that die with their holder: flock() on a file that may be removed while
 * others wait for it. Closing the descriptor lets go.
 */

enum lock_mode {
	LOCK_SHARED,
	LOCK_EXCLUSIVE,
};

/*
 * Makes the file (mode 0600) if need be and waits. What is held on return is the file that has
 * this name now: one that was removed meanwhile does not count. Cancelled: BASE_CANCELLED.
 */
struct error *lock_wait(const char *path, enum lock_mode mode, const struct cancel *cancel,
			int *ret_fd) MUST_CHECK;
/* Does not wait: *ret_fd is -1 when somebody holds it. */
struct error *lock_try(const char *path, enum lock_mode mode, int *ret_fd) MUST_CHECK;

#endif
