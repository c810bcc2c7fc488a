/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whole files, in and out. */
#ifndef KTSTR_BASE_IO_H
#define KTSTR_BASE_IO_H

#include "base/error.h"
#include "base/strbuf.h"

/*
 * Appends the whole file to *into, reading until end of file (files of /proc
 * have no size). More than limit_bytes is BASE_LIMIT, any refusal BASE_IO with errno.
 */
struct error *io_read_file(const char *path, size_t limit_bytes, struct strbuf *into) MUST_CHECK;
struct error *io_read_fd(int fd, const char *label, size_t limit_bytes,
			 struct strbuf *into) MUST_CHECK;
/*
 * The same for a regular file of a path that may lead to anything else, which is BASE_IO: opening
 * a FIFO would wait for a writer. flags is 0 or O_NOFOLLOW. No such file is BASE_ABSENT.
 */
struct error *io_read_regular(const char *path, int flags, size_t limit_bytes,
			      struct strbuf *into) MUST_CHECK;
/*
 * Opens a file for reading as a process whose root directory is `root` would: a
 * link in a foreign root is never followed into ours. Does not wait for a pipe's other
 * end. A descriptor, or -1 with errno.
 */
int io_open_below(const char *root, const char *path) MUST_CHECK;

struct error *io_write_all(int fd, const char *label, const void *bytes, size_t n) MUST_CHECK;

/*
 * Replaces a file whole or not at all: temporary name in the same directory with the
 * mode and owner of the old file, fsync, rename, fsync of the directory. On any error the old file
 * is untouched and the temporary one is gone.
 */
struct error *io_replace_file(const char *path, const void *bytes, size_t n) MUST_CHECK;
/*
 * The same for a holder of the file's lock. The temporary name is always the same, so that a
 * writer that was killed leaves at most one file, and only until the next one. Once the file is
 * replaced that is success: a failed fsync of its directory is reported in *ret_warning, which
 * is the caller's, else NULL. A crash of the machine may undo it.
 */
struct error *io_replace_locked_file(const char *path, const void *bytes, size_t n,
				     struct error **ret_warning) MUST_CHECK;
/* Gives an open file mode and owner of the one at path that it will replace, if there is one. */
struct error *io_copy_owner_mode(int fd, const char *path) MUST_CHECK;
/* Makes a rename last: fsync of the directory that holds path. */
struct error *io_sync_dir_of(const char *path) MUST_CHECK;

#endif
