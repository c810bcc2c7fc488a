// SPDX-License-Identifier: GPL-2.0-or-later
#include "agent/agent.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "agent/machine.h"
#include "base/alloc.h"
#include "wire/report.h"

#define DEFAULT_PATH "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/* Both ends of what connects us with the child; -1 where there is nothing. */
struct plumbing {
	int in[2], out[2], err[2], report[2], status[2]; /* [0] reads, [1] writes */
	int master;
};

static void plumbing_close(struct plumbing *p)
{
	int *fds = p->in; /* all eleven are in one row of ints */

	_Static_assert(sizeof(*p) == 11 * sizeof(int), "plumbing is nothing but descriptors");
	for (size_t i = 0; i < sizeof(*p) / sizeof(int); i++)
		cleanup_fd(&fds[i]);
}

static bool make_pipe(int ends[2], int *ours)
{
	return pipe2(ends, O_CLOEXEC) == 0 && (!ours || fcntl(*ours, F_SETFL, O_NONBLOCK) == 0);
}

static bool plumb(struct plumbing *p, const struct wire_run *run)
{
	if (!make_pipe(p->status, &p->status[0]))
		return false;
	if ((run->flags & WIRE_RUN_REPORT) && !make_pipe(p->report, &p->report[0]))
		return false;
	if (run->flags & WIRE_RUN_PTY) {
		struct winsize size = { .ws_col = run->cols, .ws_row = run->rows };
		int unlocked = 0;

		p->master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
		return p->master >= 0 && ioctl(p->master, TIOCSPTLCK, &unlocked) == 0 &&
		       ioctl(p->master, TIOCSWINSZ, &size) == 0;
	}
	if ((run->flags & WIRE_RUN_STDIN) && !make_pipe(p->in, &p->in[1]))
		return false;
	return make_pipe(p->out, &p->out[0]) && make_pipe(p->err, &p->err[0]);
}

/* The child gets what it asked for, and a terminal's name or a search path if it did not. */
static char **environment(const struct wire_run *run)
{
	static const char *const defaults[] = { DEFAULT_PATH, "HOME=/root", "TERM=linux" };
	char **env = xcalloc(run->n_env + ARRAY_SIZE(defaults) + 1, sizeof(*env));
	size_t n = 0;

	for (size_t i = 0; i < run->n_env; i++)
		env[n++] = (char *)(uintptr_t)run->env[i];
	for (size_t i = 0; i < ARRAY_SIZE(defaults); i++) {
		size_t name = strcspn(defaults[i], "=") + 1;
		bool given = false;

		for (size_t j = 0; j < run->n_env; j++)
			given |= strncmp(run->env[j], defaults[i], name) == 0;
		if (!given && (i < 2 || run->flags & WIRE_RUN_PTY))
			env[n++] = (char *)(uintptr_t)defaults[i];
	}
	return env;
}

static void default_signals(void)
{
	sigset_t none;

	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static bool connect_report(const struct plumbing *p)
{
	int fd = p->report[1];

	if (fd < 0)
		return true;
	/* dup2() of a number to itself would leave it to be closed by exec. */
	if (fd == WIRE_REPORT_FD)
		return fcntl(fd, F_SETFD, 0) == 0;
	return dup2(fd, WIRE_REPORT_FD) == WIRE_REPORT_FD;
}

static bool connect_streams(struct plumbing *p)
{
	if (p->master >= 0) {
		int terminal = ioctl(p->master, TIOCGPTPEER, O_RDWR | O_CLOEXEC);

		return terminal >= 0 && ioctl(terminal, TIOCSCTTY, 0) == 0 &&
		       dup2(terminal, 0) == 0 && dup2(terminal, 1) == 1 && dup2(terminal, 2) == 2;
	}
	if (p->in[0] < 0)
		p->in[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	return dup2(p->in[0], 0) == 0 && dup2(p->out[1], 1) == 1 && dup2(p->err[1], 2) == 2;
}

static struct agent_launch_failure failure_of(int errnum, const char *what, const char *name)
{
	struct agent_launch_failure failure = { .errnum = errnum };

	snprintf(failure.text, sizeof(failure.text), "%s%s: %s", what, name, strerror(errnum));
	return failure;
}

/* Returns only if the program cannot be run. */
static struct agent_launch_failure exec_in_child(const struct wire_run *run,
						 const struct agent_launch_place *place,
						 struct plumbing *p)
{
	int errnum;

	setsid();
	default_signals();
	umask(022);
	if (place->reset_oom)
		agent_machine_write("/proc/self/oom_score_adj", "0");
	if (!connect_streams(p) || !connect_report(p))
		return failure_of(errno, "streams", "");
	if (*run->cgroup) {
		errnum = agent_cgroup_make(place->cgroup_root, run->cgroup);
		if (!errnum)
			errnum = agent_cgroup_enter(place->cgroup_root, run->cgroup);
		if (errnum)
			return failure_of(errnum, "cgroup ", run->cgroup);
	}
	if (chdir(*run->cwd ? run->cwd : "/") < 0)
		return failure_of(errno, "directory ", run->cwd);
	/* execvp() looks in the PATH of the environment that is current. */
	environ = environment(run);
	execvp(run->argv[0], (char *const *)(uintptr_t)run->argv);
	return failure_of(errno, "program ", run->argv[0]);
}

/* So that the console shows when the test began, before the kernel's messages about it. */
static void announce(const struct wire_run *run, const struct agent_launch_place *place)
{
	const char *first = run->argv[1], *second = first ? run->argv[2] : NULL;
	_cleanup_close_ int fd = -1;
	char line[256];
	int n;

	if (!place->kernel_log || !(run->flags & WIRE_RUN_REPORT))
		return;
	fd = open(place->kernel_log, O_WRONLY | O_CLOEXEC);
	/* One write is one line; dprintf() seeks first, which /dev/kmsg refuses. */
	n = snprintf(line, sizeof(line), "<6>ktstr-agent: %.64s %.16s %.128s\n", run->argv[0],
		     first ? first : "", second ? second : "");
	if (fd >= 0 && write(fd, line, (size_t)n) < 0)
		return; /* there is nowhere to report it */
}

struct error *agent_launch(const struct wire_run *run, const struct agent_launch_place *place,
			   struct agent_launched *ret)
{
	__attribute__((cleanup(plumbing_close))) struct plumbing p;
	pid_t pid;

	memset(&p, -1, sizeof(p));
	if (!plumb(&p, run))
		return agent_error(AGENT_SYSTEM, errno, "pipes or terminal for %s", run->argv[0]);
	announce(run, place);
	pid = fork();
	if (pid < 0)
		return agent_error(AGENT_SYSTEM, errno, "fork for %s", run->argv[0]);
	if (pid == 0) {
		struct agent_launch_failure failure = exec_in_child(run, place, &p);
		ssize_t told = write(p.status[1], &failure, sizeof(failure));

		_exit(told == sizeof(failure) ? 127 : 126);
	}
	*ret = (struct agent_launched){
		.pid = pid,
		.report = take_fd(p.report[0]),
		.status = take_fd(p.status[0]),
	};
	if (p.master >= 0) {
		ret->out = take_fd(p.master);
		ret->in = fcntl(ret->out, F_DUPFD_CLOEXEC, 3);
		ret->err = -1;
	} else {
		ret->in = take_fd(p.in[1]);
		ret->out = take_fd(p.out[0]);
		ret->err = take_fd(p.err[0]);
	}
	return NULL;
}
