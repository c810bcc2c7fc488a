// SPDX-License-Identifier: LGPL-2.1-or-later
#include "work/group.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Where the pipe is moved, so that all above can be closed at once. */
enum { WORD_FD = 3, CPUS_FD = 4 };

static _Noreturn void give_up(unsigned int i, enum work_worker_stage stage, int errnum, int word_fd)
{
	struct work_worker_status word = { .worker = i, .stage = stage, .errnum = errnum };

	/* If even this fails, the parent sees the pipe closed without a word. */
	if (write(word_fd, &word, sizeof(word)) < 0)
		_exit(2);
	_exit(1);
}

/* By its own hand: a write that a broken scheduler blocks blocks the worker, not the parent. */
static int place(int cgroup_fd)
{
	int fd = openat(cgroup_fd, "cgroup.procs", O_WRONLY | O_CLOEXEC);
	int errnum = fd < 0 ? errno : 0;

	if (fd >= 0) {
		if (write(fd, "0", 1) != 1)
			errnum = errno;
		close(fd);
	}
	return errnum;
}

/* Above the descriptor numbers assigned later. -1: not asked for, or there is none. */
static int open_cpus(const struct work_group *group, int cgroup_fd)
{
	_cleanup_close_ int fd = -1;

	if (!group->watch_cpus || cgroup_fd < 0)
		return -1;
	fd = openat(cgroup_fd, "cpuset.cpus.effective", O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, CPUS_FD);
}

/* Handlers of the parent are none of ours; a signal ends us, but for the one that we wait for. */
static void reset_signals(void)
{
	struct sigaction plain = { .sa_handler = SIG_DFL };
	sigset_t stop;

	for (int signal = 1; signal < NSIG; signal++)
		sigaction(signal, &plain, NULL);
	sigemptyset(&stop);
	sigaddset(&stop, work_stop_signal());
	sigprocmask(SIG_SETMASK, &stop, NULL);
}

_Noreturn void work_worker_run(struct work_group *group, unsigned int i, pid_t parent,
			       int cgroup_fd, int word_fd)
{
	const struct work_kind_info *kind = work_kind_info(group->work.kind);
	struct work_worker_status here = { .worker = i };
	struct work_self self = {
		.slot = &group->shared->slots[i],
		.stop = &group->shared->stop,
		.work = group->work,
	};
	uint64_t offset_ns = work_gate_offset_ns(group->gate, group->first + i);
	int errnum, cpus_fd;

	/* The parent may have died before the first of these took effect. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL))
		give_up(i, WORK_WORKER_SETUP, errno, word_fd);
	if (getppid() != parent)
		_exit(2);
	if (setpgid(0, group->pgid))
		give_up(i, WORK_WORKER_SETUP, errno, word_fd);
	reset_signals();
	errnum = cgroup_fd < 0 ? 0 : place(cgroup_fd);
	if (errnum)
		give_up(i, WORK_WORKER_PLACE, errnum, word_fd);
	cpus_fd = open_cpus(group, cgroup_fd);
	/* Not a descriptor more than needed: a pipe of the parent must be able to reach its end. */
	if (word_fd != WORD_FD && dup2(word_fd, WORD_FD) < 0)
		give_up(i, WORK_WORKER_SETUP, errno, word_fd);
	if (cpus_fd > CPUS_FD && dup2(cpus_fd, CPUS_FD) < 0)
		give_up(i, WORK_WORKER_SETUP, errno, WORD_FD);
	self.cpus_fd = cpus_fd < 0 ? -1 : CPUS_FD;
	if (close_range(cpus_fd < 0 ? CPUS_FD : CPUS_FD + 1, ~0U, 0))
		give_up(i, WORK_WORKER_SETUP, errno, WORD_FD);
	self.schedstat_fd = open("/proc/self/schedstat", O_RDONLY | O_CLOEXEC);
	if (write(WORD_FD, &here, sizeof(here)) != sizeof(here))
		_exit(2);
	close(WORD_FD);

	work_self_prepare(&self);
	if (!work_gate_wait(group->gate, self.stop)) {
		atomic_store(&self.slot->stage, WORK_SLOT_TURNED_AWAY);
		_exit(0);
	}
	work_self_begin(&self, work_gate_opened_at_ns(group->gate));
	if (offset_ns)
		work_self_sleep(&self, offset_ns);
	while (!work_self_stopped(&self))
		kind->step(&self);
	work_self_end(&self);
	_exit(0);
}
