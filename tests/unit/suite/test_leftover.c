// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "suite/heard.h"
#include "suite/system.h"

enum { LONG_MS = 60000 };

static pid_t sleeper(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		pause();
		_exit(0);
	}
	return pid;
}

static void children_are_found_and_zombies_are_not(void **state UNUSED)
{
	pid_t pid = sleeper(), zombie = fork();
	struct suite_cgroup_pids pids;

	if (zombie == 0)
		_exit(0);
	waitid(P_PID, (id_t)zombie, &(siginfo_t){ 0 }, WEXITED | WNOWAIT);
	suite_leftover_find(-1, &pids);
	assert_int_equal(pids.rows.n, 1);
	assert_int_equal(pids.rows.at[0], pid);
	vec_deinit(&pids.rows);
	assert_true(suite_leftover_kill(-1, LONG_MS));
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

/* Two forks and a new session: nobody but the system knows whose it is. */
static void a_daemonised_process_is_found_as_a_leftover(void **state UNUSED)
{
	struct heard heard;
	pid_t middle;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	heard_init(&heard);
	middle = fork();
	if (middle == 0) {
		setsid();
		if (fork() == 0)
			pause();
		_exit(0);
	}
	assert_int_equal(waitpid(middle, NULL, 0), middle);
	assert_false(suite_leftover_wait(-1, 20));
	suite_leftover_report(-1, "processes outlived the test", &heard.report);
	assert_contains(heard_text(&heard), "{\"report\":\"part\",\"reason\":\"leftover\","
					    "\"text\":\"processes outlived the test (1): ");
	assert_contains(heard_text(&heard), "(test-suite-left");
	assert_true(suite_leftover_kill(-1, LONG_MS));
	assert_true(suite_leftover_wait(-1, LONG_MS));
	heard_deinit(&heard);
}

static void no_leftover_process_reports_nothing(void **state UNUSED)
{
	struct heard heard;

	heard_init(&heard);
	suite_leftover_report(-1, "processes", &heard.report);
	assert_string_equal(heard_text(&heard), "");
	heard_deinit(&heard);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(children_are_found_and_zombies_are_not),
		cmocka_unit_test(a_daemonised_process_is_found_as_a_leftover),
		cmocka_unit_test(no_leftover_process_reports_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
