// SPDX-License-Identifier: GPL-2.0-or-later
#include "procfs/task.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

static void pid_zero_and_unused_pids_do_not_exist(void **state UNUSED)
{
	assert_false(procfs_pid_exists("/proc", 0));
	assert_false(procfs_pid_exists("/proc", -1));
	assert_false(procfs_pid_exists("/proc", INT32_MAX));
	assert_true(procfs_pid_exists("/proc", getpid()));
}

static void a_process_without_read_permission_exists(void **state UNUSED)
{
	char root[] = "/tmp/ktstr-process-XXXXXX";
	bool exists;

	assert_non_null(mkdtemp(root));
	assert_int_equal(chmod(root, 0), 0);
	/* Root looks through any mode. */
	if (getuid() == 0)
		assert_int_equal(seteuid(65534), 0);
	exists = procfs_pid_exists(root, 1);
	if (getuid() == 0)
		assert_int_equal(seteuid(0), 0);
	rmdir(root);
	assert_true(exists);
}

static void identity_is_that_of_the_file(void **state UNUSED)
{
	_cleanup_free_ char *path = NULL;
	struct procfs_exe_identity identity;
	struct stat st;

	assert_success(procfs_exe_path_read("/proc", getpid(), &path));
	assert_int_equal(stat(path, &st), 0);
	assert_success(procfs_exe_identity_read("/proc", getpid(), &identity));
	assert_true(identity.dev == st.st_dev && identity.ino == st.st_ino);
}

static void a_zombie_exists_but_has_no_exe(void **state UNUSED)
{
	struct procfs_exe_identity identity;
	struct procfs_stat stat;
	char *path = NULL;
	siginfo_t info;
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
	assert_true(procfs_pid_exists("/proc", child));
	assert_error_tag(procfs_exe_path_read("/proc", child, &path), "io");
	assert_error_tag(procfs_exe_identity_read("/proc", child, &identity), "io");
	assert_success(procfs_stat_read("/proc", child, &stat));
	assert_int_equal(stat.state, 'Z');
	waitpid(child, NULL, 0);
	assert_error_tag(procfs_stat_read("/proc", child, &stat), "io");
}

/* The pipe closes on exec, so reading its end says that the exec has happened. */
static void memory_is_gone_after_an_exec_of_the_same_program(void **state UNUSED)
{
	struct procfs_address_space space;
	int go[2], done[2];
	char byte;
	pid_t child;

	assert_int_equal(pipe2(go, O_CLOEXEC), 0);
	assert_int_equal(pipe2(done, O_CLOEXEC), 0);
	child = fork();
	if (child == 0) {
		if (read(go[0], &byte, 1) == 1)
			execl("/proc/self/exe", "sleeper", "--sleep", NULL);
		_exit(1);
	}
	close(done[1]);
	procfs_address_space_open("/proc", child, &space);
	assert_true(space.fd >= 0);
	assert_false(procfs_address_space_is_gone(&space));
	assert_int_equal(write(go[1], "x", 1), 1);
	assert_int_equal(read(done[0], &byte, 1), 0);
	assert_true(procfs_address_space_is_gone(&space));
	procfs_address_space_close(&space);
	procfs_address_space_open("/proc", child, &space);
	assert_false(procfs_address_space_is_gone(&space));
	procfs_address_space_close(&space);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(go[0]);
	close(go[1]);
	close(done[0]);
}

static void memory_that_may_not_be_opened_is_not_called_gone(void **state UNUSED)
{
	struct procfs_address_space space;

	procfs_address_space_open("/nonexistent", 1, &space);
	assert_int_equal(space.fd, -1);
	assert_false(procfs_address_space_is_gone(&space));
	procfs_address_space_close(&space);
}

static void our_own_parent_is_read(void **state UNUSED)
{
	pid_t pid = -1;

	assert_success(procfs_status_pid_read("/proc", getpid(), "PPid", &pid));
	assert_int_equal(pid, getppid());
	assert_error_tag(procfs_status_pid_read("/proc", INT32_MAX, "PPid", &pid), "io");
}

int main(int argc, char **argv UNUSED)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(our_own_parent_is_read),
		cmocka_unit_test(memory_is_gone_after_an_exec_of_the_same_program),
		cmocka_unit_test(memory_that_may_not_be_opened_is_not_called_gone),
		cmocka_unit_test(pid_zero_and_unused_pids_do_not_exist),
		cmocka_unit_test(a_process_without_read_permission_exists),
		cmocka_unit_test(identity_is_that_of_the_file),
		cmocka_unit_test(a_zombie_exists_but_has_no_exe),
	};

	/* What the test above runs instead of itself. */
	if (argc > 1) {
		pause();
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
