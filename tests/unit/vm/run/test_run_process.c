// SPDX-License-Identifier: GPL-2.0-or-later
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"
#include "vm/run/run.h"

static void a_process_is_identified_by_pid_and_start_time(void **state UNUSED)
{
	struct vm_run_process us = vm_run_process_of(getpid()), reused = us, none = { 0 };
	pid_t zombie = fork();
	siginfo_t info;

	if (zombie == 0)
		_exit(0);
	assert_true(vm_run_process_lives(&us));
	reused.start_time_jiffies--;
	assert_false(vm_run_process_lives(&reused));
	assert_false(vm_run_process_lives(&none));
	assert_int_equal(waitid(P_PID, (id_t)zombie, &info, WEXITED | WNOWAIT), 0);
	assert_false(vm_run_process_lives(&(struct vm_run_process){ .pid = zombie }));
	waitpid(zombie, NULL, 0);
	assert_false(vm_run_process_lives(&(struct vm_run_process){ .pid = zombie }));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_is_identified_by_pid_and_start_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
