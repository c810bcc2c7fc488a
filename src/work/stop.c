// SPDX-License-Identifier: LGPL-2.1-or-later
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "work/group.h"

static void ask_all(struct work_group *group)
{
	atomic_store(&group->shared->stop, 1);
	work_gate_nudge(group->gate);
	for (unsigned int i = 0; i < group->n_started; i++) {
		if (!work_member_settle(group, i))
			kill(group->members[i].pid, work_stop_signal());
	}
}

static void wait_all(struct work_group *group, uint64_t limit_ns)
{
	uint64_t now_ns = clock_monotonic_ns();
	uint64_t deadline_ns = limit_ns > UINT64_MAX - now_ns ? UINT64_MAX : now_ns + limit_ns;

	/* One after the other: the last to end decides anyway. */
	for (unsigned int i = 0; i < group->n_started; i++)
		work_member_wait(group, i, deadline_ns);
}

static void kill_all(struct work_group *group)
{
	for (unsigned int i = 0; i < group->n_started; i++)
		work_member_kill(group, i);
	/* Not one is reaped yet, so the group is still ours; it gets what workers forked, too. */
	if (group->pgid > 0)
		kill(-group->pgid, SIGKILL);
}

void work_stop(struct work_group *group, uint64_t limit_ns)
{
	if (group->stopped)
		return;
	work_conclude(group);
	group->stopped = true;
	ask_all(group);
	wait_all(group, limit_ns);
	kill_all(group);
	wait_all(group, limit_ns > WORK_DEATH_NS ? limit_ns : WORK_DEATH_NS);
}

void work_free(struct work_group *group)
{
	if (!group)
		return;
	kill_all(group);
	wait_all(group, UINT64_MAX);
	for (unsigned int i = 0; i < group->n_started; i++)
		work_member_reap(group, i);
	munmap(group->shared, group->shared_bytes);
	free(group);
}
