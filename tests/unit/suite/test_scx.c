// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include "suite/dir.h"
#include "suite/scheduler.h"

static void only_the_state_enabled_counts_as_enabled(void **state UNUSED)
{
	/* The kernel's words: 6.12 has "prepping", later kernels the other four. */
	static const char *const words[] = { "disabled\n", "enabling\n", "disabling\n",
					     "prepping\n", "enabled\n" };
	struct dir dir;

	dir_init(&dir);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		struct suite_scx_state scx;

		dir_write(&dir, "state", words[i]);
		suite_scx_state_read(dir.path, &scx);
		assert_int_equal(suite_scx_state_is_enabled(&scx), i == ARRAY_SIZE(words) - 1);
	}
	dir_deinit(&dir);
}

static void a_count_is_a_number_or_not_known(void **state UNUSED)
{
	struct dir dir;
	struct suite_scx_state scx;

	dir_init(&dir);
	suite_scx_state_read(dir.path, &scx);
	assert_false(scx.has_enable_seq);
	assert_string_equal(scx.name, "");
	dir_write(&dir, "enable_seq", "12x\n");
	suite_scx_state_read(dir.path, &scx);
	assert_false(scx.has_enable_seq);
	dir_write(&dir, "enable_seq", "12\n");
	suite_scx_state_read(dir.path, &scx);
	assert_true(scx.has_enable_seq);
	assert_int_equal(scx.enable_seq, 12);
	dir_deinit(&dir);
}

static void what_is_printed_while_attaching_is_not_a_name(void **state UNUSED)
{
	_cleanup_free_ char *ops = NULL;
	struct dir dir;

	dir_init(&dir);
	assert_null(suite_scx_state_read_ops(dir.path));
	dir_write(&dir, "root/ops", "\n");
	assert_null(suite_scx_state_read_ops(dir.path));
	dir_write(&dir, "root/ops", "(efault)\n");
	assert_null(suite_scx_state_read_ops(dir.path));
	dir_write(&dir, "root/ops", "fifo\n");
	ops = suite_scx_state_read_ops(dir.path);
	assert_string_equal(ops, "fifo");
	dir_deinit(&dir);
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
	_cleanup_test_dir_ struct dir dir;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_free_ char *on = NULL, *off = NULL;

	dir_init(&dir);
	assert_false(suite_scx_dump_enable(dir.path));
	dir_write(&dir, "events/sched_ext/sched_ext_dump/enable", "");
	dir_write(&dir, "trace_pipe", trace);
	assert_true(suite_scx_dump_enable(dir.path));
	on = dir_read(&dir, "events/sched_ext/sched_ext_dump/enable");
	assert_string_equal(on, "1");
	suite_scx_dump_read(dir.path, 1 << 20, &text);
	assert_contains(text.at, "triggered exit\n");
	suite_scx_dump_disable(dir.path);
	off = dir_read(&dir, "events/sched_ext/sched_ext_dump/enable");
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
