// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/run/run.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/alloc.h"

enum { OPEN_FLAGS = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC };

static char *path_in(const char *dir)
{
	return xasprintf("%s/" VM_RUN_FREEZE_FILE, dir);
}

/* Whoever had the lock before may have removed the file meanwhile. */
static bool is_still_there(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_nlink > 0;
}

struct error *vm_run_freeze_begin(const char *dir, struct vm_run_freeze *ret)
{
	_cleanup_free_ char *path = path_in(dir);

	for (;;) {
		_cleanup_close_ int fd = open(path, OPEN_FLAGS | O_CREAT, 0600);

		if (fd < 0)
			return base_error(BASE_IO, errno, "cannot create %s", path);
		if (flock(fd, LOCK_EX) < 0) {
			if (errno == EINTR)
				continue;
			return base_error(BASE_IO, errno, "cannot lock %s", path);
		}
		if (!is_still_there(fd))
			continue;
		*ret = (struct vm_run_freeze){ take_ptr(path), take_fd(fd) };
		return NULL;
	}
}

void vm_run_freeze_end(struct vm_run_freeze *freeze)
{
	if (freeze->fd < 0)
		return;
	unlink(freeze->path);
	close(freeze->fd);
	free(freeze->path);
	*freeze = VM_RUN_FREEZE_NONE;
}

bool vm_run_freeze_adopt(const char *dir, struct vm_run_freeze *ret)
{
	_cleanup_free_ char *path = path_in(dir);
	_cleanup_close_ int fd = open(path, OPEN_FLAGS);

	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0 || !is_still_there(fd))
		return false;
	*ret = (struct vm_run_freeze){ take_ptr(path), take_fd(fd) };
	return true;
}

bool vm_run_freeze_is_held(const char *dir)
{
	_cleanup_free_ char *path = path_in(dir);
	_cleanup_close_ int fd = open(path, OPEN_FLAGS);

	return fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}
