// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include "suite/folder.h"
#include "suite/scheduler.h"

static const char trace[] =
	" kworker/u9:0-27      [000] d.h1.    16.914561: sched_ext_dump: t[211] triggered exit\n"
	" kworker/u9:0-27      [000] d.h1.    16.914562: sched_ext_dump:   stall (x: y)\n"
	" sh-3   [001] .....    17.000000: sched_switch: something else\n"
	" kworker/u9:0-27      [000] d.h1.    16.914563: sched_ext_dump: \n"
	" kworker/u9:0-27      [000] d.h1.    16.914564: sched_ext_dump: CPU states";

static void lines_of_the_dump_lose_their_head(void **state UNUSED)
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
		cmocka_unit_test(lines_of_the_dump_lose_their_head),
		cmocka_unit_test(a_dump_is_switched_on_read_and_switched_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
