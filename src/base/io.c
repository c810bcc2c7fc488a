// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/io.h"

#include <fcntl.h>
#include <libgen.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/alloc.h"
#include "base/paths.h"

#define CHUNK_BYTES 16384

struct error *io_read_fd(int fd, const char *label, size_t limit_bytes, struct strbuf *into)
{
	size_t total = 0;

	for (;;) {
		char chunk[CHUNK_BYTES];
		ssize_t n = read(fd, chunk, sizeof(chunk));

		if (n < 0) {
			if (errno == EINTR)
				continue;
			return base_error(BASE_IO, errno, "read %s", label);
		}
		if (n == 0)
			return NULL;
		if ((size_t)n > limit_bytes - total)
			return base_error(BASE_LIMIT, 0, "%s is larger than %zu bytes", label,
					  limit_bytes);
		strbuf_append_bytes(into, chunk, (size_t)n);
		total += (size_t)n;
	}
}

struct error *io_read_file(const char *path, size_t limit_bytes, struct strbuf *into)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return base_error(BASE_IO, errno, "cannot open %s", path);
	return io_read_fd(fd, path, limit_bytes, into);
}

struct error *io_read_regular(const char *path, int flags, size_t limit_bytes, struct strbuf *into)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags);
	struct stat st;

	if (fd < 0)
		return base_error(errno == ENOENT || errno == ENOTDIR ? BASE_ABSENT : BASE_IO,
				  errno, "cannot open %s", path);
	if (fstat(fd, &st) < 0)
		return base_error(BASE_IO, errno, "stat %s", path);
	if (!S_ISREG(st.st_mode))
		return base_error(BASE_IO, 0, "%s is not a regular file", path);
	return io_read_fd(fd, path, limit_bytes, into);
}

int io_open_below(const char *root, const char *path)
{
	struct open_how how = {
		.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	_cleanup_close_ int root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (root_fd < 0)
		return -1;
	return (int)syscall(SYS_openat2, root_fd, path, &how, sizeof(how));
}

struct error *io_write_all(int fd, const char *label, const void *bytes, size_t n)
{
	const char *at = bytes;

	while (n) {
		ssize_t wrote = write(fd, at, n);

		if (wrote < 0) {
			if (errno == EINTR)
				continue;
			return base_error(BASE_IO, errno, "write %s", label);
		}
		at += wrote;
		n -= (size_t)wrote;
	}
	return NULL;
}

struct error *io_copy_owner_mode(int fd, const char *path)
{
	struct stat old;

	if (stat(path, &old) < 0)
		return errno == ENOENT ? NULL : base_error(BASE_IO, errno, "stat %s", path);
	/* Keeping the owner needs privilege we may lack; the mode is what protects. */
	if (fchown(fd, old.st_uid, old.st_gid) < 0 && errno != EPERM)
		return base_error(BASE_IO, errno, "cannot chown the new %s", path);
	if (fchmod(fd, old.st_mode & 07777) < 0)
		return base_error(BASE_IO, errno, "cannot chmod the new %s", path);
	return NULL;
}

static struct error *fill_and_rename(int fd, const char *temporary, const char *path,
				     const void *bytes, size_t n)
{
	struct error *err = io_copy_owner_mode(fd, path);

	if (err)
		return err;
	err = io_write_all(fd, temporary, bytes, n);
	if (err)
		return err;
	if (fsync(fd) < 0)
		return base_error(BASE_IO, errno, "fsync %s", temporary);
	if (rename(temporary, path) < 0)
		return base_error(BASE_IO, errno, "rename %s to %s", temporary, path);
	return NULL;
}

struct error *io_sync_dir_of(const char *path)
{
	_cleanup_free_ char *dir = paths_dirname(path);
	_cleanup_close_ int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || fsync(fd) < 0)
		return base_error(BASE_IO, errno,
				  "%s is replaced, but fsync of its directory failed", path);
	return NULL;
}

/* fd is -1 with errno when the temporary file could not be made. */
static struct error *replace_by(int fd, const char *temporary, const char *path, const void *bytes,
				size_t n, struct error **ret_warning)
{
	struct error *err;

	if (fd < 0)
		return base_error(BASE_IO, errno, "create the temporary file %s", temporary);
	err = fill_and_rename(fd, temporary, path, bytes, n);
	if (err) {
		unlink(temporary);
		return err;
	}
	*ret_warning = io_sync_dir_of(path);
	return NULL;
}

struct error *io_replace_file(const char *path, const void *bytes, size_t n)
{
	_cleanup_free_ char *dir = paths_dirname(path);
	_cleanup_free_ char *temporary = xasprintf("%s/.ktstr-XXXXXX", dir);
	_cleanup_close_ int fd = mkostemp(temporary, O_CLOEXEC);
	struct error *warning = NULL;
	struct error *err = replace_by(fd, temporary, path, bytes, n, &warning);

	return err ? err : warning;
}

struct error *io_replace_locked_file(const char *path, const void *bytes, size_t n,
				     struct error **ret_warning)
{
	_cleanup_free_ char *dir = paths_dirname(path), *copy = xstrdup(path);
	/* basename() of <libgen.h>, which may write into its argument. */
	_cleanup_free_ char *temporary = xasprintf("%s/.%s.new", dir, basename(copy));
	_cleanup_close_ int fd = -1;

	/* A file of that name was left by a killed writer: the lock excludes all others. */
	unlink(temporary);
	fd = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	return replace_by(fd, temporary, path, bytes, n, ret_warning);
}
