// SPDX-License-Identifier: GPL-2.0-or-later
#include "build_scheduler.h"

static void maps_and_variables_of_the_scheduler_are_shown(void **state)
{
	struct build_scheduler *b = *state;

	put_array(b, put_circle(b));
	assert_contains(scheduler_view(b, "scheduler", NULL, false), "map 2 sched.bss (");
	assert_contains(strbuf_str(&b->out), "\n  first_ctx = 0x7f123456");
	assert_contains(strbuf_str(&b->out), "map 3 ctx_array (");
	assert_contains(strbuf_str(&b->out), "\n  [0] = task_ctx:\n    pid=66\n");
	/* An arena has no entries. */
	assert_null(strstr(strbuf_str(&b->out), "the_arena"));
	assert_contains(scheduler_view(b, "scheduler", NULL, true),
			"{\"maps\":[{\"id\":2,\"name\":\"sched.bss\"");
}

static void maps_of_other_programs_are_not(void **state)
{
	struct build_scheduler *b = *state;
	struct dump_request request = { 0 };
	struct dump_sink sink = dump_sink_to_text(&b->out, 100);

	put32(b, AT_PROGRAM, 26);
	scheduler_attach(b);
	assert_error_tag(dump_one(dump_view_find("scheduler"), b->kmem, &request, &sink), "absent");
}

static void a_map_that_two_programs_use_is_shown_once(void **state)
{
	struct build_scheduler *b = *state;

	put64(b, AT_MAPS, pointer_to(b, AT_BSS));
	assert_contains(scheduler_view(b, "scheduler", NULL, false), "map 2 sched.bss (");
	assert_null(strstr(strstr(strbuf_str(&b->out), "sched.bss") + 1, "sched.bss"));
}

static void a_map_that_cannot_be_read_is_counted(void **state)
{
	struct build_scheduler *b = *state;

	put64(b, AT_MAPS, 1);
	assert_contains(scheduler_view(b, "scheduler", NULL, false), "1 maps cannot be read\n");
	assert_contains(scheduler_view(b, "scheduler", NULL, true), "\"unreadable\":1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scheduler_test(maps_and_variables_of_the_scheduler_are_shown),
		scheduler_test(maps_of_other_programs_are_not),
		scheduler_test(a_map_that_two_programs_use_is_shown_once),
		scheduler_test(a_map_that_cannot_be_read_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
