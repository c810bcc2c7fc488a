// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/spawn.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "base/io.h"

/* One request at a time crosses to the forking thread. */
static struct {
	pthread_mutex_t callers; /* held for a whole request */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	pid_t process; /* whose thread it is: a forked child needs its own */
	const struct spawn_request *request;
	int status_fd;
	pid_t child;
	int errnum;
	bool done;
} forker = {
	.callers = PTHREAD_MUTEX_INITIALIZER,
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.changed = PTHREAD_COND_INITIALIZER,
};

/* False with errno: there are not enough numbers, or one of ours is not open. */
static bool place_fds(const struct spawn_request *request, int *status_fd)
{
	int above = 3, status;
	int *moved;

	for (size_t i = 0; i < request->n_fds; i++)
		if (request->fds[i].child >= above)
			above = request->fds[i].child + 1;
	/* Out of the way first: a number wanted in the child may be in use by another. */
	status = fcntl(*status_fd, F_DUPFD_CLOEXEC, above);
	if (status < 0)
		return false;
	*status_fd = status;
	moved = alloca(sizeof(int) * (request->n_fds + 1));
	for (size_t i = 0; i < request->n_fds; i++) {
		moved[i] = fcntl(request->fds[i].ours, F_DUPFD_CLOEXEC, above);
		if (moved[i] < 0)
			return false;
	}
	close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
	for (int fd = 0; fd < 3; fd++) {
		int null = open("/dev/null", O_RDWR | O_CLOEXEC);

		dup2(null, fd);
		if (null > 2)
			close(null);
	}
	for (size_t i = 0; i < request->n_fds; i++)
		if (dup2(moved[i], request->fds[i].child) < 0)
			return false;
	return true;
}

/* What a child that could not become the program says. */
struct failure {
	int errnum;
	bool in_cgroup; /* it was not let into its cgroup */
};

/* False with errno. */
static bool enter_cgroup(const struct spawn_request *request)
{
	return !request->cgroup_procs || write(request->cgroup_procs, "0", 1) == 1;
}

/* Between fork() and exec() of a process with threads: system calls only. */
_Noreturn static void exec_in_child(const struct spawn_request *request, pid_t parent,
				    int status_fd)
{
	struct failure failure = { 0 };
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* The parent may have died before that call. */
	if (getppid() != parent)
		_exit(127);
	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (request->new_session)
		setsid();
	else if (request->own_group)
		setpgid(0, 0);
	failure.in_cgroup = !enter_cgroup(request);
	if (!failure.in_cgroup && place_fds(request, &status_fd) &&
	    (!request->cwd || chdir(request->cwd) == 0))
		execvpe(request->file ? request->file : request->argv[0],
			(char *const *)request->argv,
			request->env ? (char *const *)request->env : environ);
	failure.errnum = errno;
	if (write(status_fd, &failure, sizeof(failure)) < 0)
		_exit(126);
	_exit(127);
}

static void *forker_main(void *unused UNUSED)
{
	pthread_mutex_lock(&forker.lock);
	for (;;) {
		pid_t parent = getpid();

		while (!forker.request || forker.done)
			pthread_cond_wait(&forker.changed, &forker.lock);
		forker.child = fork();
		if (forker.child == 0)
			exec_in_child(forker.request, parent, forker.status_fd);
		forker.errnum = forker.child < 0 ? errno : 0;
		forker.done = true;
		pthread_cond_broadcast(&forker.changed);
	}
	return NULL;
}

static struct error *forker_ensure(void)
{
	pthread_attr_t attr;
	pthread_t thread;
	sigset_t all, old;
	int err;

	if (forker.process == getpid())
		return NULL;
	/* In a forked process they may remember a thread that exists only in the parent. */
	pthread_mutex_init(&forker.lock, NULL);
	pthread_cond_init(&forker.changed, NULL);
	forker.request = NULL;
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	/* Signals are for the threads of the program, not for this one. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&thread, &attr, forker_main, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	if (err)
		return base_error(BASE_IO, err, "cannot start the thread that forks");
	forker.process = getpid();
	return NULL;
}

static pid_t fork_in_forker(const struct spawn_request *request, int status_fd)
{
	pid_t child;

	pthread_mutex_lock(&forker.lock);
	forker.request = request;
	forker.status_fd = status_fd;
	forker.done = false;
	pthread_cond_broadcast(&forker.changed);
	while (!forker.done)
		pthread_cond_wait(&forker.changed, &forker.lock);
	child = forker.child;
	errno = forker.errnum;
	forker.request = NULL;
	pthread_mutex_unlock(&forker.lock);
	return child;
}

/* Our parent may have ignored SIGCHLD, which is inherited: no child could be waited for. */
static void reset_sigchld(void)
{
	struct sigaction action;

	if (sigaction(SIGCHLD, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
		signal(SIGCHLD, SIG_DFL);
}

struct error *spawn_child(const struct spawn_request *request, pid_t *ret_pid, int *ret_pidfd)
{
	int status_pipe[2], pidfd = -1;
	struct failure failure = { 0 };
	struct error *err;
	pid_t child = -1;
	ssize_t n;

	if (pipe2(status_pipe, O_CLOEXEC) < 0)
		return base_error(BASE_IO, errno, "cannot create a pipe for %s", request->argv[0]);
	pthread_mutex_lock(&forker.callers);
	reset_sigchld();
	err = forker_ensure();
	if (!err)
		child = fork_in_forker(request, status_pipe[1]);
	if (!err && child < 0)
		err = base_error(BASE_IO, errno, "cannot fork for %s", request->argv[0]);
	pthread_mutex_unlock(&forker.callers);
	close(status_pipe[1]);
	if (err) {
		close(status_pipe[0]);
		return err;
	}
	do
		n = read(status_pipe[0], &failure, sizeof(failure));
	while (n < 0 && errno == EINTR);
	close(status_pipe[0]);
	if (n == sizeof(failure)) {
		waitpid(child, NULL, 0);
		return base_error(BASE_IO, failure.errnum,
				  failure.in_cgroup ? "cannot move %s into its cgroup"
						    : "cannot execute %s",
				  request->argv[0]);
	}
	pidfd = pidfd_open(child, 0);
	if (pidfd < 0) {
		err = base_error(BASE_IO, errno, "cannot get a pidfd for process %d", child);
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		return err;
	}
	fcntl(pidfd, F_SETFD, FD_CLOEXEC);
	*ret_pid = child;
	*ret_pidfd = pidfd;
	return NULL;
}

static bool open_pipe(int *ret_ours, int *ret_theirs)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return false;
	*ret_ours = fds[0];
	*ret_theirs = fds[1];
	return fcntl(fds[0], F_SETFL, O_NONBLOCK) == 0;
}

struct error *spawn_piped(const struct spawn_request *request, int *ret_out, int *ret_err,
			  pid_t *ret_pid, int *ret_pidfd)
{
	_cleanup_close_ int out = -1, their_out = -1, err_fd = -1, their_err = -1;
	struct spawn_request piped = *request;
	struct error *err;

	if (!open_pipe(&out, &their_out) || !open_pipe(&err_fd, &their_err))
		return base_error(BASE_IO, errno, "cannot create a pipe for %s", request->argv[0]);
	piped.fds = (struct spawn_fd[]){ { their_out, 1 }, { their_err, 2 } };
	piped.n_fds = 2;
	err = spawn_child(&piped, ret_pid, ret_pidfd);
	if (err)
		return err;
	*ret_out = take_fd(out);
	*ret_err = take_fd(err_fd);
	return NULL;
}

struct error *spawn_wait(pid_t pid, int *ret_status)
{
	pid_t got;

	do
		got = waitpid(pid, ret_status, 0);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return base_error(BASE_IO, errno, "cannot wait for process %d", pid);
	return NULL;
}

struct error *spawn_capture(const char *const *argv, size_t limit_bytes, struct strbuf *out,
			    int *ret_status)
{
	_cleanup_close_ int ours = -1, pidfd = -1;
	struct error *err, *wait_err;
	int pipe_fds[2];
	pid_t pid;

	if (pipe2(pipe_fds, O_CLOEXEC) < 0)
		return base_error(BASE_IO, errno, "cannot create a pipe for %s", argv[0]);
	ours = pipe_fds[0];
	err = spawn_child(
		&(struct spawn_request){ .argv = argv,
					 .fds = (struct spawn_fd[]){ { pipe_fds[1], 1 }, { 2, 2 } },
					 .n_fds = 2 },
		&pid, &pidfd);
	close(pipe_fds[1]);
	if (err)
		return err;
	err = io_read_fd(ours, argv[0], limit_bytes, out);
	if (err)
		kill(pid, SIGKILL);
	wait_err = spawn_wait(pid, ret_status);
	if (!err)
		return wait_err;
	error_free(wait_err);
	return err;
}
