// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include "suite/folder.h"
#include "suite/scheduler.h"

static void only_the_state_enabled_counts_as_enabled(void **state UNUSED)
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

static const char trace[] =
	" kworker/u9:0-27      [000] d.h1.    16.914561: sched_ext_dump: t[211] triggered exit\n"
	" kworker/u9:0-27      [000] d.h1.    16.914562: sched_ext_dump:   stall (x: y)\n"
	" sh-3   [001] .....    17.000000: sched_switch: something else\n"
	" kworker/u9:0-27      [000] d.h1.    16.914563: sched_ext_dump: \n"
	" kworker/u9:0-27      [000] d.h1.    16.914564: sched_ext_dump: CPU states";

static void trace_prefixes_are_removed_from_the_dump(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	suite_scx_dump_lines(trace, &text);
	assert_string_equal(text.at, "t[211] triggered exit\n  stall (x: y)\n\nCPU states\n");
}

static void a_dump_is_switched_on_read_and_switched_off(void **state UNUSED)
{
	_cleanup_folder_ struct folder folder;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_free_ char *on = NULL, *off = NULL;

	folder_init(&folder);
	assert_false(suite_scx_dump_enable(folder.path));
	folder_write(&folder, "events/sched_ext/sched_ext_dump/enable", "");
	folder_write(&folder, "trace_pipe", trace);
	assert_true(suite_scx_dump_enable(folder.path));
	on = folder_read(&folder, "events/sched_ext/sched_ext_dump/enable");
	assert_string_equal(on, "1");
	suite_scx_dump_read(folder.path, 1 << 20, &text);
	assert_contains(text.at, "triggered exit\n");
	suite_scx_dump_disable(folder.path);
	off = folder_read(&folder, "events/sched_ext/sched_ext_dump/enable");
	assert_string_equal(off, "0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_the_state_enabled_counts_as_enabled),
		cmocka_unit_test(a_count_is_a_number_or_not_known),
		cmocka_unit_test(what_is_printed_while_attaching_is_not_a_name),
		cmocka_unit_test(trace_prefixes_are_removed_from_the_dump),
		cmocka_unit_test(a_dump_is_switched_on_read_and_switched_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
