// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/run/run.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "scratch.h"
#include "unit.h"

/* A process that froze the guest and waits; killed when `ends`. */
static pid_t freezer(const char *dir, bool ends)
{
	int pipe_fds[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(pipe_fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct vm_run_freeze freeze;

		if (vm_run_freeze_begin(dir, &freeze) || write(pipe_fds[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(pipe_fds[0], &byte, 1), 1);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
	if (ends) {
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
	}
	return pid;
}

static void ended_freeze_is_not_held(void **state)
{
	const char *dir = ((struct scratch *)*state)->dir;
	struct vm_run_freeze freeze = VM_RUN_FREEZE_NONE;

	assert_false(vm_run_freeze_is_held(dir));
	assert_success(vm_run_freeze_begin(dir, &freeze));
	assert_true(vm_run_freeze_is_held(dir));
	vm_run_freeze_end(&freeze);
	assert_false(vm_run_freeze_is_held(dir));
	assert_false(vm_run_freeze_adopt(dir, &freeze));
	vm_run_freeze_end(&freeze);
}

static void a_freeze_of_a_living_process_is_not_adopted(void **state)
{
	const char *dir = ((struct scratch *)*state)->dir;
	struct vm_run_freeze freeze = VM_RUN_FREEZE_NONE;
	pid_t pid = freezer(dir, false);

	assert_true(vm_run_freeze_is_held(dir));
	assert_false(vm_run_freeze_adopt(dir, &freeze));
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_false(vm_run_freeze_is_held(dir));
}

static void a_freeze_of_a_killed_process_is_adopted_once(void **state)
{
	const char *dir = ((struct scratch *)*state)->dir;
	struct vm_run_freeze first = VM_RUN_FREEZE_NONE, second = VM_RUN_FREEZE_NONE;

	freezer(dir, true);
	assert_true(vm_run_freeze_adopt(dir, &first));
	assert_false(vm_run_freeze_adopt(dir, &second));
	vm_run_freeze_end(&first);
	assert_false(vm_run_freeze_adopt(dir, &second));
}

static void a_freeze_of_a_killed_process_does_not_block_a_new_one(void **state)
{
	const char *dir = ((struct scratch *)*state)->dir;
	struct vm_run_freeze freeze = VM_RUN_FREEZE_NONE;

	freezer(dir, true);
	assert_success(vm_run_freeze_begin(dir, &freeze));
	assert_true(vm_run_freeze_is_held(dir));
	vm_run_freeze_end(&freeze);
	assert_false(vm_run_freeze_adopt(dir, &freeze));
}

static void freezing_without_the_run_directory_is_an_error(void **state UNUSED)
{
	struct vm_run_freeze freeze = VM_RUN_FREEZE_NONE;

	assert_error_tag(vm_run_freeze_begin("/nonexistent", &freeze), "io");
	assert_false(vm_run_freeze_adopt("/nonexistent", &freeze));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(ended_freeze_is_not_held),
		scratch_test(a_freeze_of_a_living_process_is_not_adopted),
		scratch_test(a_freeze_of_a_killed_process_is_adopted_once),
		scratch_test(a_freeze_of_a_killed_process_does_not_block_a_new_one),
		cmocka_unit_test(freezing_without_the_run_directory_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
