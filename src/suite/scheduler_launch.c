// SPDX-License-Identifier: LGPL-2.1-or-later
#include "suite/scheduler.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/alloc.h"

/* Roomy: while workers are being stopped nobody reads it. */
enum { PIPE_BYTES = 1 << 20 };

static char *local_file(const char *program)
{
	const char *slash = strrchr(program, '/');
	char *path = xasprintf("./%s", slash ? slash + 1 : program);

	if (access(path, X_OK) == 0)
		return path;
	free(path);
	return NULL;
}

static _Noreturn void be_program(const char *const *argv, const char *file, int out, int err,
				 int failed_fd, pid_t parent)
{
	sigset_t none;
	int null, errnum;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (null >= 0)
		dup2(null, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	execvp(file ? file : argv[0], (char *const *)argv);
	errnum = errno;
	_exit(write(failed_fd, &errnum, sizeof(errnum)) == sizeof(errnum) ? 127 : 126);
}

static void close_pair(const int ends[2])
{
	if (ends[0] >= 0)
		close(ends[0]);
	if (ends[1] >= 0)
		close(ends[1]);
}

/* 0, or the errno of a failed exec(); the program is reaped then. */
static int exec_result(pid_t pid, int failed_fd)
{
	int errnum = 0;
	ssize_t n;

	do
		n = read(failed_fd, &errnum, sizeof(errnum));
	while (n < 0 && errno == EINTR);
	if (n == 0)
		return 0;
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return n == sizeof(errnum) ? errnum : EIO;
}

struct error *suite_scheduler_launch(const char *const *argv, pid_t *ret_pid, int *ret_pidfd,
				     int *ret_out, int *ret_err)
{
	_cleanup_free_ char *file = local_file(argv[0]);
	int out[2] = { -1, -1 }, err[2] = { -1, -1 }, failed[2] = { -1, -1 };
	pid_t parent = getpid(), pid = -1;
	int errnum = 0, pidfd = -1;

	if (pipe2(out, O_CLOEXEC) < 0 || pipe2(err, O_CLOEXEC) < 0 || pipe2(failed, O_CLOEXEC) < 0)
		errnum = errno;
	fflush(NULL);
	if (!errnum) {
		pid = fork();
		if (pid == 0)
			be_program(argv, file, out[1], err[1], failed[1], parent);
		errnum = pid < 0 ? errno : 0;
	}
	if (pid > 0) {
		setpgid(pid, pid);
		close(failed[1]);
		failed[1] = -1;
		errnum = exec_result(pid, failed[0]);
	}
	if (!errnum) {
		pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
		if (pidfd < 0) {
			errnum = errno;
			kill(pid, SIGKILL);
			waitpid(pid, NULL, 0);
		}
	}
	close_pair(failed);
	if (errnum) {
		close_pair(out);
		close_pair(err);
		return base_error(BASE_IO, errnum, "%s cannot be executed", argv[0]);
	}
	close(out[1]);
	close(err[1]);
	fcntl(out[0], F_SETFL, O_NONBLOCK);
	fcntl(err[0], F_SETFL, O_NONBLOCK);
	(void)fcntl(out[0], F_SETPIPE_SZ, PIPE_BYTES);
	(void)fcntl(err[0], F_SETPIPE_SZ, PIPE_BYTES);
	*ret_pid = pid;
	*ret_pidfd = pidfd;
	*ret_out = out[0];
	*ret_err = err[0];
	return NULL;
}
