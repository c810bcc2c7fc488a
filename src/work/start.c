// SPDX-License-Identifier: LGPL-2.1-or-later
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "work/group.h"

DEFINE_ERROR_DOMAIN(work, WORK, WORK_ERRORS);

static struct error *check_work(struct ktstr_work *work)
{
	const struct work_kind_info *info = work_kind_info(work->kind);
	struct ktstr_work normal;

	if (!info)
		return work_error(WORK_SPEC, 0, "no kind of work has number %d", (int)work->kind);
	if (work->workers == 0 || work->workers > WORK_LIMIT_WORKERS)
		return work_error(WORK_SPEC, 0, "%u workers, 1 to %d are possible", work->workers,
				  WORK_LIMIT_WORKERS);
	normal = info->normal;
	for (size_t i = 0; i < work_n_params; i++) {
		unsigned int ms = *work_param_of(work, &work_params[i]);

		if (ms && !*work_param_of(&normal, &work_params[i]))
			return work_error(WORK_SPEC, 0, "%s work has no %s", info->name,
					  work_params[i].name);
		if (ms > WORK_LIMIT_MS)
			return work_error(WORK_SPEC, 0, "%s of %u, at most %d are possible",
					  work_params[i].name, ms, WORK_LIMIT_MS);
	}
	*work = work_resolve(work);
	return NULL;
}

static struct error *group_new(const struct ktstr_work *work, bool watch_cpus,
			       struct work_gate *gate, struct work_group **ret)
{
	struct work_group *group = xcalloc(1, sizeof(*group) +
						      work->workers * sizeof(group->members[0]));

	group->work = *work;
	group->watch_cpus = watch_cpus;
	group->gate = gate;
	group->first = work_gate_enrol(gate, work->workers);
	group->shared_bytes = sizeof(*group->shared) + work->workers * sizeof(struct work_slot);
	group->shared = mmap(NULL, group->shared_bytes, PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (group->shared == MAP_FAILED) {
		struct error *err = work_error(WORK_START, errno,
					       "%zu bytes of shared memory for %u workers",
					       group->shared_bytes, work->workers);

		free(group);
		return err;
	}
	*ret = group;
	return NULL;
}

/* A signal that reaches a child before it has reset the handlers would run those of the parent. */
static struct error *fork_all(struct work_group *group, int cgroup_fd, int word_fd)
{
	pid_t parent = getpid();
	struct error *err = NULL;
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	for (unsigned int i = 0; i < group->work.workers; i++) {
		pid_t pid = fork();

		if (pid == 0)
			work_worker_run(group, i, parent, cgroup_fd, word_fd);
		if (pid < 0) {
			err = work_error(WORK_START, errno, "worker %u of %u", i,
					 group->work.workers);
			break;
		}
		group->members[i].pid = pid;
		group->n_started++;
		if (group->pgid == 0)
			group->pgid = pid;
		/* Both sides do it, so that it is done whoever comes first. */
		setpgid(pid, group->pgid);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}

static struct error *refused(const struct work_worker_status *word)
{
	if (word->stage == WORK_WORKER_PLACE)
		return work_error(WORK_PLACE, word->errnum, "worker %" PRIu32, word->worker);
	return work_error(WORK_START, word->errnum, "worker %" PRIu32 " set itself up",
			  word->worker);
}

/* The pipe ended with fewer messages than workers: a worker died. */
static struct error *somebody_died(struct work_group *group, uint64_t limit_ns)
{
	unsigned int i = 0;

	while (i < group->n_started && group->members[i].there)
		i++;
	if (i == group->n_started)
		return work_error(WORK_START, 0, "a worker reported twice that it is ready");
	/* The pipe is closed a moment before the death can be seen. */
	if (!work_member_wait(group, i, clock_monotonic_ns() + limit_ns))
		return work_error(WORK_LATE, 0, "worker %u neither works nor ends", i);
	return work_error(WORK_START, 0, "worker %u ended before the gate: %s %d", i,
			  work_end_name(group->members[i].end), group->members[i].code);
}

static struct error *wait_for_all(struct work_group *group, int fd, uint64_t limit_ns)
{
	uint64_t began_ns = clock_monotonic_ns(), passed_ns = 0;
	unsigned int there = 0;

	while (there < group->work.workers) {
		struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
		struct timespec left = { 0 };
		struct work_worker_status word;
		ssize_t n;

		passed_ns = clock_monotonic_ns() - began_ns;
		if (passed_ns < limit_ns) {
			left.tv_sec = (time_t)((limit_ns - passed_ns) / NS_PER_SEC);
			left.tv_nsec = (long)((limit_ns - passed_ns) % NS_PER_SEC);
		}
		switch (ppoll(&poll_fd, 1, &left, NULL)) {
		case 0:
			return work_error(WORK_LATE, 0,
					  "%u of %u workers were ready after %" PRIu64 " ms", there,
					  group->work.workers, limit_ns / NS_PER_MS);
		case -1:
			if (errno == EINTR)
				continue;
			return work_error(WORK_START, errno, "waiting for workers");
		}
		/* Whole words: each is written at once and smaller than PIPE_BUF. */
		n = read(fd, &word, sizeof(word));
		if (n < 0 && errno == EINTR)
			continue;
		if (n != sizeof(word))
			return somebody_died(group, limit_ns);
		if (word.errnum)
			return refused(&word);
		group->members[word.worker].there = true;
		there++;
	}
	return NULL;
}

struct error *work_start(const struct ktstr_work *asked, struct work_gate *gate, int cgroup_fd,
			 bool watch_cpus, uint64_t limit_ns, struct work_group **ret)
{
	_cleanup_work_group_ struct work_group *group = NULL;
	_cleanup_close_ int read_fd = -1;
	_cleanup_close_ int write_fd = -1;
	struct ktstr_work work = *asked;
	struct error *err;
	int fds[2];

	err = check_work(&work);
	if (err)
		return err;
	err = group_new(&work, watch_cpus, gate, &group);
	if (err)
		return err;
	if (pipe2(fds, O_CLOEXEC))
		return work_error(WORK_START, errno, "a pipe for workers");
	read_fd = fds[0];
	write_fd = fds[1];
	err = fork_all(group, cgroup_fd, write_fd);
	if (err)
		return err;
	close(take_fd(write_fd));
	err = wait_for_all(group, read_fd, limit_ns);
	if (err)
		return err;
	*ret = take_ptr(group);
	return NULL;
}

unsigned int work_count(const struct work_group *group)
{
	return group->work.workers;
}

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
