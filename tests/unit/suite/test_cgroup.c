// SPDX-License-Identifier: GPL-2.0-or-later
/* With a real cgroup v2 where there is one and we are root; cpusets need a guest (tests/vm). */
#include "unit.h"

#include <fcntl.h>
#include <mntent.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "suite/dir.h"
#include "suite/system.h"

enum { LONG_MS = 60000 };

static void endmntent_at(FILE **mounts)
{
	if (*mounts)
		endmntent(*mounts);
}

/* A cgroup of this test's own; NULL where that is not possible. */
static char *real_root(void)
{
	_cleanup_(endmntent_at) FILE *mounts = setmntent("/proc/mounts", "re");
	const struct mntent *mount;

	while (mounts && (mount = getmntent(mounts))) {
		_cleanup_free_ char *path = NULL;

		if (strcmp(mount->mnt_type, "cgroup2") != 0)
			continue;
		path = xasprintf("%s/ktstr-unit-%d", mount->mnt_dir, getpid());
		if (mkdir(path, 0755) == 0)
			return take_ptr(path);
	}
	return NULL;
}

static void a_plain_directory_has_no_cgroups(void **state UNUSED)
{
	_cleanup_test_dir_ struct dir dir;
	int fd = 7;

	dir_init(&dir);
	assert_success(suite_cgroup_subtree_make(dir.path, true, LONG_MS, &fd));
	assert_int_equal(fd, -1);
}

static void cgroup_directories_are_created_and_removed(void **state UNUSED)
{
	_cleanup_test_dir_ struct dir dir;
	_cleanup_close_ int fd = -1, one = -1;
	struct topo_cpuset cpus = { 0 };
	struct error *err;
	struct stat st;

	dir_init(&dir);
	dir_write(&dir, "cgroup.controllers", "cpuset cpu\n");
	dir_write(&dir, "ktstr-test/old/deep/x", "");
	/* What is left is cleared; here a file stands in the way, which no cgroup has. */
	assert_error_tag(suite_cgroup_subtree_make(dir.path, true, LONG_MS, &fd), "io");
	dir_deinit(&dir);
	dir_init(&dir);
	dir_write(&dir, "cgroup.controllers", "cpuset cpu\n");
	assert_success(suite_cgroup_subtree_make(dir.path, true, LONG_MS, &fd));
	assert_success(suite_cgroup_make(fd, "a", NULL, LONG_MS));
	assert_success(suite_cgroup_open(fd, "a", &one));
	assert_int_equal(fstatat(fd, SUITE_CGROUP_OWN, &st, 0), 0);
	assert_error_tag(suite_cgroup_open(fd, "b", &one), "absent");
	topo_cpuset_add_range(&cpus, 0, 3);
	err = suite_cgroup_make(fd, "b", &cpus, LONG_MS);
	assert_string_equal(error_message(err),
			    "cgroup b: CPUs 0-3: cpuset.cpus: No such file or directory");
	error_free(err);
	assert_success(suite_cgroup_subtree_remove(dir.path, fd, LONG_MS));
	err = suite_cgroup_open(AT_FDCWD, dir.path, &one);
	assert_null(err);
}

static void effective_cpus_are_read(void **state UNUSED)
{
	_cleanup_test_dir_ struct dir dir;
	_cleanup_close_ int fd = -1;
	struct topo_cpuset cpus;

	dir_init(&dir);
	dir_write(&dir, "a/cpuset.cpus.effective", "0-1,5\n");
	fd = open(dir.path, O_RDONLY | O_DIRECTORY);
	assert_success(suite_cgroup_read_cpus(fd, "a", &cpus));
	assert_int_equal(topo_cpuset_count(&cpus), 3);
	assert_true(topo_cpuset_has(&cpus, 5));
	assert_error_tag(suite_cgroup_read_cpus(fd, "b", &cpus), "absent");
}

static void processes_of_the_whole_subtree_are_listed(void **state UNUSED)
{
	_cleanup_test_dir_ struct dir dir;
	_cleanup_close_ int fd = -1;
	struct suite_cgroup_pids pids;
	int sum = 0;

	dir_init(&dir);
	dir_write(&dir, "cgroup.procs", "");
	dir_write(&dir, "a/cgroup.procs", "10\n200\n");
	dir_write(&dir, "a/b/c/cgroup.procs", "3000\n");
	fd = open(dir.path, O_RDONLY | O_DIRECTORY);
	suite_cgroup_list(fd, &pids);
	for (size_t i = 0; i < pids.rows.n; i++)
		sum += pids.rows.at[i];
	assert_int_equal(pids.rows.n, 3);
	assert_int_equal(sum, 3210);
	vec_deinit(&pids.rows);
}

static pid_t sleeper_in(int cgroup_fd)
{
	_cleanup_close_ int procs = openat(cgroup_fd, "cgroup.procs", O_WRONLY);
	pid_t pid = fork();
	char text[16];

	if (pid == 0) {
		pause();
		_exit(0);
	}
	snprintf(text, sizeof(text), "%d", pid);
	assert_true(procs >= 0 && write(procs, text, strlen(text)) > 0);
	return pid;
}

static void a_real_subtree_is_killed_and_removed(void **state UNUSED)
{
	_cleanup_free_ char *root = real_root();
	_cleanup_close_ int fd = -1, own = -1;
	struct suite_cgroup_pids pids;
	int status, other = -1;
	pid_t pid;

	skip_unless(root, "no cgroup v2 in which cgroups can be made");
	assert_success(suite_cgroup_subtree_make(root, true, LONG_MS, &fd));
	assert_success(suite_cgroup_open(fd, SUITE_CGROUP_OWN, &own));
	pid = sleeper_in(own);
	suite_cgroup_list(fd, &pids);
	assert_int_equal(pids.rows.n, 1);
	assert_int_equal(pids.rows.at[0], pid);
	vec_deinit(&pids.rows);
	/* A second test on this machine does not take it away. */
	assert_error_tag(suite_cgroup_subtree_make(root, true, LONG_MS, &other), "io");
	assert_int_equal(other, -1);
	assert_success(suite_cgroup_kill(fd, LONG_MS));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WTERMSIG(status), SIGKILL);
	/* Empty now: what a dead test left is cleared. */
	assert_success(suite_cgroup_subtree_make(root, true, LONG_MS, &other));
	close(fd);
	fd = other;
	assert_success(suite_cgroup_make(fd, "more", NULL, LONG_MS));
	assert_success(suite_cgroup_subtree_remove(root, fd, LONG_MS));
	assert_int_equal(rmdir(root), 0);
}

static void check_calls(uint64_t limit_ms)
{
	_cleanup_test_dir_ struct dir dir;
	_cleanup_close_ int fd = -1;
	_cleanup_free_ char *text = NULL;

	dir_init(&dir);
	fd = open(dir.path, O_RDONLY | O_DIRECTORY);
	dir_write(&dir, "file", "");
	assert_success(suite_bounded_write(fd, "file", "text", "label", limit_ms));
	text = dir_read(&dir, "file");
	assert_string_equal(text, "text");
	assert_success(suite_bounded_mkdir(fd, "new", "label", limit_ms));
	assert_int_equal(faccessat(fd, "new", F_OK, 0), 0);
	assert_success(suite_bounded_rmdir(fd, "new", "label", limit_ms));
	assert_int_equal(faccessat(fd, "new", F_OK, 0), -1);
}

static void bounded_calls_do_the_system_call(void **state UNUSED)
{
	check_calls(LONG_MS);
	check_calls(SUITE_BOUNDED_AT_ONCE);
}

static void check_refusals(uint64_t limit_ms)
{
	_cleanup_test_dir_ struct dir dir;
	_cleanup_close_ int fd = -1;
	struct error *err;

	dir_init(&dir);
	fd = open(dir.path, O_RDONLY | O_DIRECTORY);
	err = suite_bounded_write(fd, "none", "text", "label", limit_ms);
	assert_int_equal(error_errno(err), ENOENT);
	assert_string_equal(error_message(err), "label: No such file or directory");
	error_free(err);
	dir_write(&dir, "full/file", "");
	err = suite_bounded_rmdir(fd, "full", "label", limit_ms);
	assert_int_equal(error_errno(err), ENOTEMPTY);
	error_free(err);
}

static void a_failed_bounded_call_keeps_its_errno(void **state UNUSED)
{
	check_refusals(LONG_MS);
	check_refusals(SUITE_BOUNDED_AT_ONCE);
}

/* Opening a fifo for writing waits until somebody reads: nobody does. */
static void a_bounded_call_that_blocks_is_cancelled(void **state UNUSED)
{
	_cleanup_test_dir_ struct dir dir;
	_cleanup_close_ int fd = -1;

	dir_init(&dir);
	fd = open(dir.path, O_RDONLY | O_DIRECTORY);
	assert_int_equal(mkfifoat(fd, "fifo", 0600), 0);
	assert_error_tag(suite_bounded_write(fd, "fifo", "text", "label", 50), "cancelled");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_plain_directory_has_no_cgroups),
		cmocka_unit_test(cgroup_directories_are_created_and_removed),
		cmocka_unit_test(effective_cpus_are_read),
		cmocka_unit_test(processes_of_the_whole_subtree_are_listed),
		cmocka_unit_test(a_real_subtree_is_killed_and_removed),
		cmocka_unit_test(bounded_calls_do_the_system_call),
		cmocka_unit_test(a_failed_bounded_call_keeps_its_errno),
		cmocka_unit_test(a_bounded_call_that_blocks_is_cancelled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
