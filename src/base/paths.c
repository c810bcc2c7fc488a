// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/paths.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/clock.h"

enum { DEPTH_LIMIT = 64 };

static const char *env_path(const char *name)
{
	const char *value = getenv(name);

	/* A relative cache would move with the working directory. */
	return value && value[0] == '/' ? value : NULL;
}

static char *join(const char *top, const char *middle, const char *below)
{
	return xasprintf("%s%s%s%s", top, middle, below[0] ? "/" : "", below);
}

char *paths_cache(const char *below)
{
	const char *top = env_path("KTSTR_CACHE_DIR");
	struct passwd *user;

	if (top)
		return join(top, "", below);
	top = env_path("XDG_CACHE_HOME");
	if (top)
		return join(top, "/ktstr", below);
	top = env_path("HOME");
	if (!top && (user = getpwuid(geteuid())) != NULL)
		top = user->pw_dir;
	return join(top ? top : "/", "/.cache/ktstr", below);
}

char *paths_run(const char *below)
{
	const char *top = env_path("KTSTR_RUN_DIR");
	_cleanup_free_ char *own = NULL;

	if (top)
		return join(top, "", below);
	top = env_path("XDG_RUNTIME_DIR");
	if (top)
		return join(top, "/ktstr", below);
	if (geteuid() == 0)
		return join("/run", "/ktstr", below);
	own = xasprintf("/tmp/ktstr-%u", geteuid());
	return join(own, "", below);
}

struct error *paths_make(const char *path, unsigned int mode)
{
	_cleanup_free_ char *copy = xstrdup(path);
	struct stat st;

	for (char *at = copy + 1;; at++) {
		char end = *at;

		if (end != '/' && end != 0)
			continue;
		*at = 0;
		if (mkdir(copy, mode) < 0 && errno != EEXIST)
			return base_error(BASE_IO, errno, "cannot create the directory %s", copy);
		*at = end;
		if (end == 0)
			break;
	}
	if (stat(path, &st) < 0)
		return base_error(BASE_IO, errno, "cannot stat %s", path);
	if (!S_ISDIR(st.st_mode))
		return base_error(BASE_IO, ENOTDIR, "%s", path);
	return NULL;
}

static int remove_at(int directory, const char *name, unsigned int depth)
{
	_cleanup_dir_ DIR *dir = NULL;
	struct dirent *entry;
	int fd;

	if (unlinkat(directory, name, 0) == 0 || errno == ENOENT)
		return 0;
	if (errno != EISDIR && errno != EPERM)
		return -1;
	if (depth == 0) {
		errno = ELOOP;
		return -1;
	}
	fd = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 0 : -1;
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return -1;
	}
	while ((entry = readdir(dir)) != NULL) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (remove_at(fd, entry->d_name, depth - 1) < 0)
			return -1;
	}
	if (unlinkat(directory, name, AT_REMOVEDIR) < 0 && errno != ENOENT)
		return -1;
	return 0;
}

struct error *paths_remove(const char *path)
{
	if (remove_at(AT_FDCWD, path, DEPTH_LIMIT) < 0)
		return base_error(BASE_IO, errno, "cannot remove %s", path);
	return NULL;
}

static uint64_t disk_bytes_at(int directory, const char *name, unsigned int depth)
{
	_cleanup_dir_ DIR *dir = NULL;
	struct dirent *entry;
	struct stat st;
	uint64_t sum;
	int fd;

	if (depth == 0 || fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	sum = (uint64_t)st.st_blocks * 512;
	if (!S_ISDIR(st.st_mode))
		return sum;
	fd = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir && fd >= 0)
		close(fd);
	while (dir && (entry = readdir(dir)) != NULL)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			sum += disk_bytes_at(fd, entry->d_name, depth - 1);
	return sum;
}

uint64_t paths_disk_bytes(const char *path)
{
	return disk_bytes_at(AT_FDCWD, path, DEPTH_LIMIT);
}

bool paths_is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

char *paths_find_program(const char *name)
{
	const char *at = getenv("PATH");

	if (!at)
		at = "/usr/bin:/bin";
	for (;;) {
		size_t n = strcspn(at, ":");
		_cleanup_free_ char *path = xasprintf("%.*s/%s", n ? (int)n : 1, n ? at : ".",
						      name);

		if (paths_is_program(path))
			return path[0] == '/' ? take_ptr(path) : realpath(path, NULL);
		if (!at[n])
			return NULL;
		at += n + 1;
	}
}

enum { POLL_MS = 20 };

struct error *lock_try(const char *path, enum lock_mode mode, int *ret_fd)
{
	int op = (mode == LOCK_SHARED ? LOCK_SH : LOCK_EX) | LOCK_NB;

	for (;;) {
		_cleanup_close_ int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
					      0600);
		struct stat held, named;

		if (fd < 0)
			return base_error(BASE_IO, errno, "cannot open the lock %s", path);
		if (flock(fd, op) < 0) {
			if (errno == EINTR)
				continue;
			if (errno != EWOULDBLOCK)
				return base_error(BASE_IO, errno, "cannot lock %s", path);
			*ret_fd = -1;
			return NULL;
		}
		/* Removed, or replaced by another file, between open() and flock(). */
		if (fstat(fd, &held) < 0 || stat(path, &named) < 0 || held.st_ino != named.st_ino ||
		    held.st_dev != named.st_dev)
			continue;
		*ret_fd = take_fd(fd);
		return NULL;
	}
}

struct error *lock_wait(const char *path, enum lock_mode mode, const struct cancel *cancel,
			int *ret_fd)
{
	for (;;) {
		struct error *err;
		int fd;

		err = lock_try(path, mode, &fd);
		if (err)
			return err;
		if (fd >= 0) {
			*ret_fd = fd;
			return NULL;
		}
		if (!cancel_sleep(cancel, POLL_MS * NS_PER_MS))
			return cancel_error(cancel, path);
	}
}
