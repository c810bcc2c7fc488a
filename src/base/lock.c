// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/clock.h"

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
