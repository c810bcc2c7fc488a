// SPDX-License-Identifier: LGPL-2.1-or-later
#include "result/new_file.h"

#include <fcntl.h>
#include <libgen.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/io.h"
#include "result/limits.h"

static char *temporary_name(const char *dir)
{
	static atomic_uint counter;

	return xasprintf("%s/" RESULT_NEW_FILE_TEMPORARY "%d-%u", dir, getpid(),
			 atomic_fetch_add(&counter, 1));
}

/* mkstemp() would make it private, and asking for the umask changes it for other threads. */
static int open_temporary(const char *dir, char **ret_path)
{
	for (int i = 0; i < RESULT_LIMIT_NEW_FILE_TRIES; i++) {
		_cleanup_free_ char *path = temporary_name(dir);
		int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

		if (fd >= 0)
			*ret_path = take_ptr(path);
		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
	return -1;
}

static int open_hidden(struct result_new_file *file, const char *dir)
{
	if (file->way == RESULT_NEW_FILE_UNNAMED)
		return open(dir, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
	return open_temporary(dir, &file->temporary);
}

/* Kernels and file systems without O_TMPFILE have several ways to say so (open(2)). */
static bool is_unsupported(int errnum)
{
	return errnum == EOPNOTSUPP || errnum == EISDIR || errnum == EINVAL || errnum == ENOSYS;
}

struct error *result_new_file_init(struct result_new_file *file, const char *dir,
				   enum result_new_file_way way, const void *bytes, size_t n)
{
	struct error *err;

	*file = (struct result_new_file){ .way = way, .fd = -1 };
	file->fd = open_hidden(file, dir);
	if (file->fd < 0 && file->way == RESULT_NEW_FILE_UNNAMED && is_unsupported(errno)) {
		file->way = RESULT_NEW_FILE_HARD_LINK;
		file->fd = open_hidden(file, dir);
	}
	if (file->fd < 0)
		return base_error(BASE_IO, errno, "create a file in %s", dir);
	err = io_write_all(file->fd, "a new file", bytes, n);
	if (!err && fsync(file->fd) < 0)
		err = base_error(BASE_IO, errno, "fsync a new file");
	if (err) {
		result_new_file_deinit(file);
		return error_wrap(err, "in %s", dir);
	}
	return NULL;
}

static int link_unnamed(const struct result_new_file *file, const char *path)
{
	char by_descriptor[32];

	snprintf(by_descriptor, sizeof(by_descriptor), "/proc/self/fd/%d", file->fd);
	return linkat(AT_FDCWD, by_descriptor, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

static int give_name(struct result_new_file *file, const char *path)
{
	if (file->way == RESULT_NEW_FILE_UNNAMED)
		return link_unnamed(file, path);
	if (file->way == RESULT_NEW_FILE_HARD_LINK) {
		if (link(file->temporary, path) == 0)
			return unlink(file->temporary);
		if (errno != EPERM && errno != EOPNOTSUPP)
			return -1;
		file->way = RESULT_NEW_FILE_NO_REPLACE;
	}
	return renameat2(AT_FDCWD, file->temporary, AT_FDCWD, path, RENAME_NOREPLACE);
}

struct error *result_new_file_publish(struct result_new_file *file, const char *path)
{
	if (give_name(file, path) < 0)
		return base_error(BASE_IO, errno, "create %s", path);
	free(file->temporary);
	file->temporary = NULL;
	return io_sync_folder_of(path);
}

static int give_temporary_name(struct result_new_file *file, const char *path)
{
	_cleanup_free_ char *for_dirname = xstrdup(path);
	const char *dir = dirname(for_dirname);

	for (int i = 0; !file->temporary && i < RESULT_LIMIT_NEW_FILE_TRIES; i++) {
		_cleanup_free_ char *temporary = temporary_name(dir);

		if (link_unnamed(file, temporary) == 0)
			file->temporary = take_ptr(temporary);
		else if (errno != EEXIST)
			return -1;
	}
	return file->temporary ? 0 : -1;
}

struct error *result_new_file_replace(struct result_new_file *file, const char *path)
{
	struct stat old;

	if (stat(path, &old) < 0)
		return base_error(BASE_IO, errno, "stat %s", path);
	/* Keeping the owner needs privilege we may lack; the mode is what protects. */
	if (fchown(file->fd, old.st_uid, old.st_gid) < 0 && errno != EPERM)
		return base_error(BASE_IO, errno, "cannot chown the new %s", path);
	if (fchmod(file->fd, old.st_mode & 07777) < 0)
		return base_error(BASE_IO, errno, "cannot chmod the new %s", path);
	if (give_temporary_name(file, path) < 0 || rename(file->temporary, path) < 0)
		return base_error(BASE_IO, errno, "replace %s", path);
	free(file->temporary);
	file->temporary = NULL;
	return io_sync_folder_of(path);
}

void result_new_file_deinit(struct result_new_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	if (file->temporary)
		unlink(file->temporary);
	free(file->temporary);
	*file = (struct result_new_file){ .fd = -1 };
}
