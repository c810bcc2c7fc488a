// SPDX-License-Identifier: GPL-2.0-or-later
#include "work/work.h"

#include <fcntl.h>
#include <mntent.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "fixture.h"

static void impossible_work_is_refused(void **state UNUSED)
{
	static const struct ktstr_work specs[] = {
		{ .kind = KTSTR_N_WORK_KINDS, .workers = 1 },
		{ .kind = KTSTR_WORK_SPIN, .workers = 0 },
		{ .kind = KTSTR_WORK_SPIN, .workers = WORK_LIMIT_WORKERS + 1 },
		{ .kind = KTSTR_WORK_SPIN, .workers = 1, .sleep_ms = 1 },
		{ .kind = KTSTR_WORK_SLEEP, .workers = 1, .burst_ms = 1 },
		{ .kind = KTSTR_WORK_SLEEP, .workers = 1, .sleep_ms = WORK_LIMIT_MS + 1 },
	};
	_cleanup_work_gate_ struct work_gate *gate = NULL;
	struct work_group *group = NULL;

	assert_success(work_gate_new(&gate));
	for (size_t i = 0; i < ARRAY_SIZE(specs); i++)
		assert_error_tag(work_start(&specs[i], gate, -1, false, PATIENCE_NS, &group),
				 "work-spec");
	assert_null(group);
	assert_true(no_children_left());
}

static void workers_wait_at_the_gate_in_a_process_group_of_their_own(void **state UNUSED)
{
	struct ktstr_work spec = { .kind = KTSTR_WORK_SPIN, .workers = 3 };
	_cleanup_work_gate_ struct work_gate *gate = NULL;
	struct work_group *group;
	pid_t pgid = 0;

	assert_success(work_gate_new(&gate));
	group = started(gate, &spec, false);
	for (unsigned int i = 0; i < 3; i++) {
		uint64_t before_ns, after_ns, slices;
		struct work_report r;

		work_sample(group, i, &r);
		assert_int_equal(r.end, WORK_END_WAITING);
		if (i == 0)
			pgid = r.pid;
		assert_int_equal(getpgid(r.pid), pgid);
		wait_for_state(r.pid, 'S');
		/* It sleeps; it does not look whether the gate is open. */
		assert_true(kernel_says(r.pid, &before_ns, &slices));
		sleep_ms(20);
		assert_true(kernel_says(r.pid, &after_ns, &slices));
		assert_true(before_ns == after_ns);
	}
	assert_int_not_equal(pgid, getpgrp());
	work_free(group);
	assert_true(no_children_left());
}

/* A directory with a cgroup.procs of our making. */
struct fake {
	char dir[64];
	char procs[96];
	int fd;
};

static void fake_init(struct fake *fake)
{
	snprintf(fake->dir, sizeof(fake->dir), "/tmp/ktstr-work-XXXXXX");
	assert_non_null(mkdtemp(fake->dir));
	snprintf(fake->procs, sizeof(fake->procs), "%s/cgroup.procs", fake->dir);
	fake->fd = open(fake->dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_true(fake->fd >= 0);
}

static void fake_deinit(struct fake *fake)
{
	close(fake->fd);
	unlink(fake->procs);
	rmdir(fake->dir);
}

static struct error *start_in(int cgroup_fd, uint64_t limit_ns)
{
	struct ktstr_work spec = { .kind = KTSTR_WORK_SPIN, .workers = 3 };
	_cleanup_work_gate_ struct work_gate *gate = NULL;
	_cleanup_work_group_ struct work_group *group = NULL;
	struct error *err;

	assert_success(work_gate_new(&gate));
	err = work_start(&spec, gate, cgroup_fd, false, limit_ns, &group);
	if (err)
		assert_null(group);
	return err;
}

static void a_cgroup_that_cannot_be_entered_is_an_error(void **state UNUSED)
{
	struct error *err;
	struct fake fake;

	fake_init(&fake);
	err = start_in(fake.fd, PATIENCE_NS);
	assert_non_null(err);
	assert_int_equal(error_errno(err), ENOENT);
	assert_error_tag(err, "work-place");
	assert_true(no_children_left());

	assert_int_equal(symlink("/dev/full", fake.procs), 0);
	err = start_in(fake.fd, PATIENCE_NS);
	assert_non_null(err);
	assert_int_equal(error_errno(err), ENOSPC);
	assert_error_tag(err, "work-place");
	assert_true(no_children_left());
	fake_deinit(&fake);
}

static void a_cgroup_that_blocks_its_workers_is_not_waited_for_for_ever(void **state UNUSED)
{
	struct fake fake;

	fake_init(&fake);
	/* Opening it for writing waits for a reader. */
	assert_int_equal(mkfifo(fake.procs, 0600), 0);
	assert_error_tag(start_in(fake.fd, 50 * NS_PER_MS), "work-late");
	assert_true(no_children_left());
	fake_deinit(&fake);
}

static bool find_cgroup2(char *ret, size_t n)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	struct mntent *m;
	bool found = false;

	while (mounts && !found && (m = getmntent(mounts))) {
		found = strcmp(m->mnt_type, "cgroup2") == 0;
		if (found)
			snprintf(ret, n, "%s/ktstr-test-work-%d", m->mnt_dir, getpid());
	}
	if (mounts)
		endmntent(mounts);
	return found;
}

static void workers_are_in_their_cgroup_before_the_gate_opens(void **state UNUSED)
{
	struct ktstr_work spec = { .kind = KTSTR_WORK_SPIN, .workers = 3 };
	_cleanup_work_gate_ struct work_gate *gate = NULL;
	struct work_group *group = NULL;
	char dir[256], path[300];
	pid_t pids[8];
	int n = 0, fd;
	FILE *f;

	skip_unless(find_cgroup2(dir, sizeof(dir)), "no cgroup v2 is mounted");
	skip_unless(mkdir(dir, 0755) == 0, "may not make a cgroup");
	fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_success(work_gate_new(&gate));
	assert_success(work_start(&spec, gate, fd, false, PATIENCE_NS, &group));
	snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
	f = fopen(path, "re");
	assert_non_null(f);
	while (n < 8 && fscanf(f, "%d", &pids[n]) == 1)
		n++;
	fclose(f);
	close(fd);
	for (unsigned int i = 0; i < 3; i++) {
		struct work_report r;
		int at = 0;

		work_sample(group, i, &r);
		assert_int_equal(r.end, WORK_END_WAITING);
		while (at < n && pids[at] != r.pid)
			at++;
		assert_true(at < n);
	}
	work_free(group);
	/* Nobody is left in it, or it could not go. */
	assert_int_equal(rmdir(dir), 0);
	assert_int_equal(n, 3);
}

/* Reaps it in any case, and soon: an orphan that lives on is not left to spin. */
static bool dies_of_itself(pid_t pid)
{
	uint64_t began_ns = clock_monotonic_ns();
	bool killed = false;
	int status = 0;

	while (waitpid(pid, &status, WNOHANG) == 0) {
		if (!killed && clock_monotonic_ns() - began_ns > 3 * NS_PER_SEC)
			killed = kill(pid, SIGKILL) == 0;
		sleep_ms(1);
	}
	return !killed && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

static void workers_die_with_their_parent(void **state UNUSED)
{
	struct ktstr_work spec = { .kind = KTSTR_WORK_SPIN, .workers = 2 };
	bool died[2];
	pid_t pids[2], parent;
	int fds[2];

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	/* So that it is we who see the orphans end. */
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	parent = fork();
	if (parent == 0) {
		struct work_gate *gate = NULL;
		struct work_group *group = NULL;

		if (work_gate_new(&gate) || work_start(&spec, gate, -1, false, PATIENCE_NS, &group))
			_exit(1);
		work_gate_open(gate);
		for (unsigned int i = 0; i < 2; i++) {
			struct work_report r;

			work_sample(group, i, &r);
			pids[i] = r.pid;
		}
		if (write(fds[1], pids, sizeof(pids)) != sizeof(pids))
			_exit(2);
		for (;;)
			pause();
	}
	assert_int_equal(read(fds[0], pids, sizeof(pids)), sizeof(pids));
	kill(parent, SIGKILL);
	assert_int_equal(waitpid(parent, NULL, 0), parent);
	for (int i = 0; i < 2; i++)
		died[i] = dies_of_itself(pids[i]);
	prctl(PR_SET_CHILD_SUBREAPER, 0);
	close(fds[0]);
	close(fds[1]);
	assert_true(died[0] && died[1]);
	assert_true(no_children_left());
}

static bool children_leave;

static void leave_at_once(void)
{
	if (children_leave)
		_exit(7);
}

static void a_worker_that_ends_before_the_gate_is_an_error(void **state UNUSED)
{
	struct error *err;

	pthread_atfork(NULL, NULL, leave_at_once);
	children_leave = true;
	err = start_in(-1, PATIENCE_NS);
	children_leave = false;
	assert_non_null(err);
	assert_contains(error_message(err), "exited 7");
	assert_error_tag(err, "work-start");
	assert_true(no_children_left());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(impossible_work_is_refused),
		cmocka_unit_test(workers_wait_at_the_gate_in_a_process_group_of_their_own),
		cmocka_unit_test(a_cgroup_that_cannot_be_entered_is_an_error),
		cmocka_unit_test(a_cgroup_that_blocks_its_workers_is_not_waited_for_for_ever),
		cmocka_unit_test(workers_are_in_their_cgroup_before_the_gate_opens),
		cmocka_unit_test(workers_die_with_their_parent),
		cmocka_unit_test(a_worker_that_ends_before_the_gate_is_an_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
