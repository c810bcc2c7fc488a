// SPDX-License-Identifier: LGPL-2.1-or-later
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "work/group.h"

enum work_end work_member_end(const struct work_member *member, enum work_slot_stage stage, int how,
			      int status, int *ret_code)
{
	*ret_code = 0;
	if (how != CLD_EXITED) {
		if (member->killed_at_ns && status == SIGKILL)
			return WORK_END_KILLED;
		*ret_code = status;
		return WORK_END_SIGNALLED;
	}
	if (status == 0 && stage == WORK_SLOT_DONE)
		return WORK_END_FINISHED;
	if (status == 0 && stage == WORK_SLOT_TURNED_AWAY)
		return WORK_END_NEVER_STARTED;
	*ret_code = status;
	return WORK_END_EXITED;
}

bool work_member_settle(struct work_group *group, size_t i)
{
	struct work_member *m = &group->members[i];
	siginfo_t info = { 0 };

	if (m->settled)
		return true;
	if (waitid(P_PID, (id_t)m->pid, &info, WEXITED | WNOHANG | WNOWAIT)) {
		if (errno != ECHILD)
			return false;
		m->end = WORK_END_LOST;
		m->reaped = true;
	} else if (info.si_pid == 0) {
		return false;
	} else {
		m->end = work_member_end(m, atomic_load(&group->shared->slots[i].stage),
					 info.si_code, info.si_status, &m->code);
	}
	m->settled = true;
	return true;
}

bool work_member_wait(struct work_group *group, size_t i, uint64_t deadline_ns)
{
	/* For the time of the wait only: a group may have more workers than we may have files. */
	_cleanup_close_ int fd = -1;

	while (!work_member_settle(group, i)) {
		uint64_t now_ns = clock_monotonic_ns();
		uint64_t left_ns = deadline_ns > now_ns ? deadline_ns - now_ns : 0;
		struct timespec left = { .tv_sec = (time_t)(left_ns / NS_PER_SEC),
					 .tv_nsec = (long)(left_ns % NS_PER_SEC) };
		struct pollfd poll_fd = { .events = POLLIN };

		if (left_ns == 0)
			return false;
		if (fd < 0)
			fd = (int)syscall(SYS_pidfd_open, group->members[i].pid, 0);
		/* Without one (no file left): a short sleep at a time. */
		poll_fd.fd = fd;
		if (fd < 0 && left_ns > NS_PER_MS)
			left = (struct timespec){ .tv_nsec = (long)NS_PER_MS };
		ppoll(&poll_fd, 1, &left, NULL);
	}
	return true;
}

void work_member_kill(struct work_group *group, size_t i)
{
	struct work_member *m = &group->members[i];

	if (work_member_settle(group, i) || m->killed_at_ns)
		return;
	m->killed_at_ns = clock_monotonic_ns();
	kill(m->pid, SIGKILL);
}

void work_member_reap(struct work_group *group, size_t i)
{
	struct work_member *m = &group->members[i];

	if (!m->reaped)
		waitid(P_PID, (id_t)m->pid, NULL, WEXITED);
	m->reaped = true;
}
