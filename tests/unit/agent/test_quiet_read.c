// SPDX-License-Identifier: GPL-2.0-or-later
#include "agent/quiet.h"

#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "staged_root.h"

#define SCHEDSTAT "version 17\ncpu0 0 0 0 0 0 0 1426551508 3 5\ncpu1 0 0 0 0 0 0 9 3 5\n"
#define STAT	  "cpu0 0 0 121 148 2 0 2 0 0 0\ncpu1 5 0 82 163 0 0 5 0\nprocs_running 3\n"

#define LOADAVG "0.00 0.01 0.05 5/80 123\n"

static void a_kernel_without_schedstat_is_read_by_idle_times(void **state UNUSED)
{
	char *root = staged_root_new();
	struct agent_quiet_sample s = { 0 };

	assert_error_tag(agent_quiet_sample_read(root, &s), "agent-system");
	staged_file(root, "/stat", "ctxt 5\n", 7);
	assert_error_tag(agent_quiet_sample_read(root, &s), "agent-system");
	staged_file(root, "/stat", STAT, strlen(STAT));
	assert_success(agent_quiet_sample_read(root, &s));
	assert_true(s.by_idle);
	assert_int_equal(s.running, 3);
	staged_file(root, "/schedstat", SCHEDSTAT, strlen(SCHEDSTAT));
	assert_success(agent_quiet_sample_read(root, &s));
	assert_false(s.by_idle);
	assert_int_equal(s.cpus.n, 2);
	assert_int_equal(s.running, 3);
	/* It has the same number and costs less. */
	staged_file(root, "/loadavg", LOADAVG, strlen(LOADAVG));
	assert_success(agent_quiet_sample_read(root, &s));
	assert_int_equal(s.running, 5);
	agent_quiet_sample_deinit(&s);
	staged_root_free(root);
}

static void looking_leaves_the_affinity_as_it_was(void **state UNUSED)
{
	struct agent_quiet_sample s = { 0 };
	cpu_set_t before, after;

	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	assert_success(agent_quiet_sample_read("/proc", &s));
	assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
	assert_true(CPU_EQUAL(&before, &after));
	assert_true(s.cpus.n > 0 && s.running > 0);
	agent_quiet_sample_deinit(&s);
}

static void a_running_process_is_found_in_proc_and_we_are_not(void **state UNUSED)
{
	struct agent_quiet_tasks tasks = { 0 };
	pid_t pid = fork();
	bool found = false;

	if (pid == 0)
		for (;;)
			pause();
	assert_success(agent_quiet_tasks_read("/proc", &tasks));
	for (size_t i = 0; i < tasks.rows.n; i++) {
		found |= tasks.rows.at[i].pid == pid;
		assert_int_not_equal(tasks.rows.at[i].pid, getpid());
	}
	assert_true(found);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_error_tag(agent_quiet_tasks_read("/nonexistent", &tasks), "agent-system");
	agent_quiet_tasks_deinit(&tasks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_kernel_without_schedstat_is_read_by_idle_times),
		cmocka_unit_test(looking_leaves_the_affinity_as_it_was),
		cmocka_unit_test(a_running_process_is_found_in_proc_and_we_are_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
