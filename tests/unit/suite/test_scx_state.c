// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include "suite/folder.h"
#include "suite/scheduler.h"

static void only_enabled_is_enabled(void **state UNUSED)
{
	/* The kernel's words: 6.12 has "prepping", later kernels the other four. */
	static const char *const words[] = { "disabled\n", "enabling\n", "disabling\n",
					     "prepping\n", "enabled\n" };
	struct folder folder;

	folder_init(&folder);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		struct suite_scx_state scx;

		folder_write(&folder, "state", words[i]);
		suite_scx_state_read(folder.path, &scx);
		assert_int_equal(suite_scx_state_is_enabled(&scx), i == ARRAY_SIZE(words) - 1);
	}
	folder_deinit(&folder);
}

static void a_count_is_a_number_or_not_known(void **state UNUSED)
{
	struct folder folder;
	struct suite_scx_state scx;

	folder_init(&folder);
	suite_scx_state_read(folder.path, &scx);
	assert_false(scx.has_enable_seq);
	assert_string_equal(scx.name, "");
	folder_write(&folder, "enable_seq", "12x\n");
	suite_scx_state_read(folder.path, &scx);
	assert_false(scx.has_enable_seq);
	folder_write(&folder, "enable_seq", "12\n");
	suite_scx_state_read(folder.path, &scx);
	assert_true(scx.has_enable_seq);
	assert_int_equal(scx.enable_seq, 12);
	folder_deinit(&folder);
}

static void what_is_printed_while_attaching_is_not_a_name(void **state UNUSED)
{
	_cleanup_free_ char *ops = NULL;
	struct folder folder;

	folder_init(&folder);
	assert_null(suite_scx_state_read_ops(folder.path));
	folder_write(&folder, "root/ops", "\n");
	assert_null(suite_scx_state_read_ops(folder.path));
	folder_write(&folder, "root/ops", "(efault)\n");
	assert_null(suite_scx_state_read_ops(folder.path));
	folder_write(&folder, "root/ops", "fifo\n");
	ops = suite_scx_state_read_ops(folder.path);
	assert_string_equal(ops, "fifo");
	folder_deinit(&folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_enabled_is_enabled),
		cmocka_unit_test(a_count_is_a_number_or_not_known),
		cmocka_unit_test(what_is_printed_while_attaching_is_not_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
