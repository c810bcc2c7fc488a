// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/arch.h"

#include <elf.h>
#include <sys/ptrace.h>

#include "target.h"

static void the_machine_is_that_of_this_program(void **state UNUSED)
{
	Elf64_Ehdr header;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	assert_int_equal(read(fd, &header, sizeof(header)), sizeof(header));
	close(fd);
	assert_int_equal(arch_elf_machine(), header.e_machine);
	assert_true(strlen(arch_name()) > 0);
	assert_true(strlen(arch_regset_name()) > 0);
}

static void a_stopped_thread_has_the_pointer_it_says(void **state UNUSED)
{
	struct target target = target_start("KTSTR_TARGET");
	struct target_thread main_thread = target_thread_of(target_ask(&target, "hello"));
	uint64_t pointer = 0;
	int status;

	assert_int_equal(ptrace(PTRACE_SEIZE, target.pid, NULL, NULL), 0);
	assert_int_equal(ptrace(PTRACE_INTERRUPT, target.pid, NULL, NULL), 0);
	assert_int_equal(waitpid(target.pid, &status, __WALL), target.pid);
	assert_int_equal(arch_thread_pointer(target.pid, &pointer), 0);
	assert_int_equal(pointer, main_thread.pointer);
	ptrace(PTRACE_DETACH, target.pid, NULL, NULL);
	target_end(&target);
}

static void a_thread_that_is_not_ours_is_refused(void **state UNUSED)
{
	struct target target = target_start("KTSTR_TARGET");
	uint64_t pointer = 77;

	assert_int_equal(arch_thread_pointer(target.pid, &pointer), ESRCH);
	assert_int_equal(pointer, 77);
	target_end(&target);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_machine_is_that_of_this_program),
		cmocka_unit_test(a_stopped_thread_has_the_pointer_it_says),
		cmocka_unit_test(a_thread_that_is_not_ours_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
