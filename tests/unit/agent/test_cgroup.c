// SPDX-License-Identifier: GPL-2.0-or-later
#include "agent/machine.h"

#include "scratch.h"

static void each_controller_is_enabled_by_a_write_of_its_own(void **state)
{
	scratch_write(*state, "cgroup.controllers", "cpuset io\n");
	scratch_write(*state, "cgroup.subtree_control", "");
	agent_cgroup_enable_all(*state);
	/* An ordinary file keeps both writes, each at its start. */
	assert_file(*state, "cgroup.subtree_control", "+iouset");
}

static void subtree_control_is_untouched_without_controllers(void **state)
{
	agent_cgroup_enable_all(*state);
	scratch_write(*state, "cgroup.controllers", "\n");
	agent_cgroup_enable_all(*state);
	assert_false(scratch_has(*state, "cgroup.subtree_control"));
	scratch_write(*state, "cgroup.subtree_control", "as it was");
	agent_cgroup_enable_all(*state);
	assert_file(*state, "cgroup.subtree_control", "as it was");
}

static void each_cgroup_level_is_created_with_controllers_enabled(void **state)
{
	scratch_dir(*state, "one");
	scratch_write(*state, "one/cgroup.controllers", "cpu\n");
	scratch_write(*state, "one/cgroup.subtree_control", "");
	assert_int_equal(agent_cgroup_make(*state, "one/two/three"), 0);
	assert_true(scratch_has(*state, "one/two/three"));
	assert_file(*state, "one/cgroup.subtree_control", "+cpu");
	assert_int_equal(agent_cgroup_make(*state, "one/two/three"), 0);
}

static void names_that_leave_the_directory_are_refused(void **state)
{
	static const char *const names[] = {
		"", "/", "/abs", "..", "a/..", "a/../b", ".", "a/./b", "a//b", "a/",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_int_equal(agent_cgroup_make(*state, names[i]), EINVAL);
	assert_false(scratch_has(*state, "a"));
	assert_int_equal(agent_cgroup_make(*state, "..a/b.."), 0);
}

static void entering_a_cgroup_writes_0_to_cgroup_procs(void **state)
{
	scratch_dir(*state, "g");
	assert_int_equal(agent_cgroup_enter(*state, "g"), ENOENT);
	scratch_write(*state, "g/cgroup.procs", "");
	assert_int_equal(agent_cgroup_enter(*state, "g"), 0);
	assert_file(*state, "g/cgroup.procs", "0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(each_controller_is_enabled_by_a_write_of_its_own),
		scratch_test(subtree_control_is_untouched_without_controllers),
		scratch_test(each_cgroup_level_is_created_with_controllers_enabled),
		scratch_test(names_that_leave_the_directory_are_refused),
		scratch_test(entering_a_cgroup_writes_0_to_cgroup_procs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
