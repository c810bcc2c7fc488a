// SPDX-License-Identifier: LGPL-2.1-or-later
#include "result/new_file.h"

#include <fcntl.h>
#include <libgen.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/clock.h"
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
	return io_sync_dir_of(path);
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
	return io_sync_dir_of(path);
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

#define LOCK_SUFFIX ".lock"

/* The file that the lock protects, else the directory of both. */
static bool stat_protected(const char *lock_path, struct stat *ret)
{
	_cleanup_free_ char *path = xstrdup(lock_path);
	size_t n = strlen(path), suffix = strlen(LOCK_SUFFIX);

	if (n > suffix && strcmp(path + n - suffix, LOCK_SUFFIX) == 0) {
		path[n - suffix] = '\0';
		if (stat(path, ret) == 0)
			return true;
	}
	return stat(dirname(path), ret) == 0;
}

/*
 * Whoever may write the file may lock it, also if root created the lock. Only a file that we made
 * ourselves is given away: another could be a link to anything.
 */
static void give_to_owner(int fd, const char *path)
{
	struct stat st;
	mode_t mode = 0600;

	if (!stat_protected(path, &st))
		return;
	if (S_ISREG(st.st_mode))
		mode |= (st.st_mode & S_IWGRP ? 0060 : 0) | (st.st_mode & S_IWOTH ? 0006 : 0);
	/* Without the right to give it away it is our own already. */
	if (fchown(fd, st.st_uid, st.st_gid) < 0 && errno != EPERM)
		return;
	if (fchmod(fd, mode) < 0)
		return;
}

static struct error *open_lock(const char *path, int *ret_fd)
{
	/* A link here could make a privileged writer create a file somewhere else. */
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd >= 0)
		give_to_owner(fd, path);
	else if (errno == EEXIST)
		fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return base_error(BASE_IO, errno, "cannot open the lock file %s", path);
	*ret_fd = fd;
	return NULL;
}

static struct error *wait_for_lock(int fd, const char *path, uint64_t end_ns, uint64_t budget_ns,
				   const struct cancel *cancel)
{
	for (;;) {
		if (cancel_requested(cancel))
			return base_error(
				BASE_CANCELLED, 0,
				"aborted by a signal or the deadline while waiting for flock(LOCK_EX) on %s",
				path);
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			return NULL;
		if (errno == EINTR)
			continue;
		if (errno != EWOULDBLOCK)
			return base_error(BASE_IO, errno, "flock(LOCK_EX) on %s", path);
		if (clock_monotonic_ns() >= end_ns)
			return base_error(
				BASE_LIMIT, 0,
				"flock(LOCK_EX) on %s: another writer has held it for %llu ms; "
				"`fuser -v %s` or `lslocks` shows which one: end it if it hangs, then try again",
				path, (unsigned long long)(budget_ns / NS_PER_MS), path);
		/* Whether it slept to the end or was cancelled, the loop's head knows what to do.
		 */
		if (!cancel_sleep(cancel, RESULT_LOCK_RETRY_MS * NS_PER_MS))
			continue;
	}
}

/* False when the lock file was removed meanwhile: the next writer would lock another one. */
static bool still_in_place(int fd, const char *path)
{
	struct stat held, named;

	return fstat(fd, &held) == 0 && lstat(path, &named) == 0 && held.st_dev == named.st_dev &&
	       held.st_ino == named.st_ino;
}

struct error *result_lock_acquire(const char *lock_path, uint64_t budget_ns,
				  const struct cancel *cancel, int *ret_fd)
{
	uint64_t end_ns = clock_monotonic_ns() + budget_ns;

	for (int i = 0; i < RESULT_LIMIT_LOCK_REOPEN; i++) {
		_cleanup_close_ int fd = -1;
		struct error *err = open_lock(lock_path, &fd);

		if (!err)
			err = wait_for_lock(fd, lock_path, end_ns, budget_ns, cancel);
		if (err)
			return err;
		if (still_in_place(fd, lock_path)) {
			*ret_fd = take_fd(fd);
			return NULL;
		}
	}
	return base_error(BASE_LIMIT, 0,
			  "flock(LOCK_EX) on %s: the file is removed again and again", lock_path);
}
