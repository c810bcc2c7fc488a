// SPDX-License-Identifier: LGPL-2.1-or-later
#include "suite/system.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/clock.h"

struct call {
	int dir_fd;
	const char *name, *text;
	int (*make)(const struct call *call); /* 0, or errno; in a child unless at once */
};

static int make_write(const struct call *call)
{
	_cleanup_close_ int fd = openat(call->dir_fd, call->name, O_WRONLY | O_CLOEXEC);
	size_t n = strlen(call->text);

	if (fd < 0)
		return errno;
	return write(fd, call->text, n) == (ssize_t)n ? 0 : errno ? errno : EIO;
}

static int make_mkdir(const struct call *call)
{
	return mkdirat(call->dir_fd, call->name, 0755) == 0 ? 0 : errno;
}

static int make_rmdir(const struct call *call)
{
	return unlinkat(call->dir_fd, call->name, AT_REMOVEDIR) == 0 ? 0 : errno;
}

/* True when fd became readable or was closed before the deadline. */
static bool wait_for(int fd, uint64_t deadline_ns)
{
	for (;;) {
		struct pollfd one = { .fd = fd, .events = POLLIN };
		uint64_t now = clock_monotonic_ns();
		int n;

		if (now >= deadline_ns)
			return false;
		n = poll(&one, 1, (int)((deadline_ns - now) / NS_PER_MS) + 1);
		if (n > 0)
			return true;
		if (n < 0 && errno != EINTR)
			return false;
	}
}

static struct error *bounded(const struct call *call, const char *label, uint64_t limit_ms)
{
	uint64_t deadline = clock_monotonic_ns() + limit_ms * NS_PER_MS;
	_cleanup_close_ int from = -1;
	int ends[2], errnum = ECHILD;
	pid_t pid;

	if (limit_ms == SUITE_BOUNDED_AT_ONCE) {
		errnum = call->make(call);
		return errnum ? base_error(BASE_IO, errnum, "%s", label) : NULL;
	}
	if (pipe2(ends, O_CLOEXEC) < 0)
		return base_error(BASE_IO, errno, "%s", label);
	from = ends[0];
	pid = fork();
	if (pid == 0) {
		errnum = call->make(call);
		_exit(write(ends[1], &errnum, sizeof(errnum)) == sizeof(errnum) ? 0 : 1);
	}
	close(ends[1]);
	if (pid < 0)
		return base_error(BASE_IO, errno, "%s", label);
	if (!wait_for(from, deadline)) {
		/* If it can die it does; our end reaps it, or nobody does. */
		kill(pid, SIGKILL);
		waitpid(pid, NULL, WNOHANG);
		return base_error(BASE_CANCELLED, 0, "%s: no answer of the kernel within %llu ms",
				  label, (unsigned long long)limit_ms);
	}
	if (read(from, &errnum, sizeof(errnum)) != sizeof(errnum))
		errnum = EIO;
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return errnum ? base_error(BASE_IO, errnum, "%s", label) : NULL;
}

struct error *suite_bounded_write(int dir_fd, const char *file, const char *text, const char *label,
				  uint64_t limit_ms)
{
	return bounded(&(struct call){ dir_fd, file, text, make_write }, label, limit_ms);
}

struct error *suite_bounded_mkdir(int dir_fd, const char *name, const char *label,
				  uint64_t limit_ms)
{
	return bounded(&(struct call){ dir_fd, name, NULL, make_mkdir }, label, limit_ms);
}

struct error *suite_bounded_rmdir(int dir_fd, const char *name, const char *label,
				  uint64_t limit_ms)
{
	return bounded(&(struct call){ dir_fd, name, NULL, make_rmdir }, label, limit_ms);
}
