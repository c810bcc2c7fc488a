// SPDX-License-Identifier: GPL-2.0-or-later
#include "procfs/cgroup.h"

#include "staged_root.h"

#define DIR_ "/sys/kernel/sched_ext/"

static void put(const char *root, const char *path, const char *text)
{
	staged_file(root, path, text, strlen(text));
}

static void a_loaded_scheduler_has_a_name_and_events(void **state UNUSED)
{
	char *root = staged_root_new();
	_cleanup_intern_ struct intern names;
	struct procfs_sched_ext scx;

	intern_init(&names);
	put(root, DIR_ "state", "enabled\n");
	put(root, DIR_ "switch_all", "1\n");
	put(root, DIR_ "nr_rejected", "3\n");
	put(root, DIR_ "hotplug_seq", "12\n");
	put(root, DIR_ "enable_seq", "18446744073709551615\n");
	put(root, DIR_ "root/ops", "simple_1.0\n");
	put(root, DIR_ "root/events",
	    "SCX_EV_SELECT_CPU_FALLBACK 5\nSCX_EV_DISPATCH_KEEP_LAST 0\n");
	procfs_sched_ext_read(root, &names, &scx);
	assert_true(scx.known);
	assert_string_equal(intern_text(&names, scx.state), "enabled");
	assert_string_equal(intern_text(&names, scx.ops), "simple_1.0");
	assert_true(scx.switch_all.value == 1 && scx.nr_rejected.value == 3);
	assert_true(scx.hotplug_seq.value == 12 && scx.enable_seq.value == UINT64_MAX);
	assert_true(scx.events.known && scx.events.rows.n == 2);
	assert_string_equal(intern_text(&names, scx.events.rows.at[0].name),
			    "SCX_EV_SELECT_CPU_FALLBACK");
	assert_true(scx.events.rows.at[0].value == 5);
	assert_true(scx.events.rows.at[1].value == 0);
	procfs_sched_ext_deinit(&scx);
	staged_root_free(root);
}

static void without_a_scheduler_there_is_only_the_state(void **state UNUSED)
{
	char *root = staged_root_new();
	_cleanup_intern_ struct intern names;
	struct procfs_sched_ext scx;

	intern_init(&names);
	put(root, DIR_ "state", " disabled \n");
	put(root, DIR_ "switch_all", "0\n");
	put(root, DIR_ "nr_rejected", "many\n");
	procfs_sched_ext_read(root, &names, &scx);
	assert_true(scx.known);
	assert_string_equal(intern_text(&names, scx.state), "disabled");
	assert_true(scx.switch_all.known && scx.switch_all.value == 0);
	assert_false(scx.nr_rejected.known || scx.hotplug_seq.known || scx.enable_seq.known);
	assert_int_equal(scx.ops, 0);
	assert_false(scx.events.known);
	procfs_sched_ext_deinit(&scx);
	staged_root_free(root);
}

static void a_kernel_without_it_is_not_a_disabled_one(void **state UNUSED)
{
	char *root = staged_root_new();
	_cleanup_intern_ struct intern names;
	struct procfs_sched_ext scx;

	intern_init(&names);
	procfs_sched_ext_read(root, &names, &scx);
	assert_false(scx.known);
	assert_int_equal(scx.state, 0);
	procfs_sched_ext_deinit(&scx);
	staged_root_free(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_loaded_scheduler_has_a_name_and_events),
		cmocka_unit_test(without_a_scheduler_there_is_only_the_state),
		cmocka_unit_test(a_kernel_without_it_is_not_a_disabled_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
