// SPDX-License-Identifier: GPL-2.0-or-later
#include "build_scheduler.h"

static void an_arena_is_a_line_with_its_pages(void **state)
{
	struct build_scheduler *b = *state;

	sdt_put(b->s, SDT_USER + 4096 + 8, 0x1122);
	assert_string_equal(scheduler_text(b, "arena", 0),
			    "arena the_arena (id 1) 0x7f1234560000 … 0x7f1234660000: 256 pages "
			    "present of 256 declared, 1 not zero\n");
}

static void json_has_what_is_in_the_pages(void **state)
{
	struct build_scheduler *b = *state;

	sdt_put(b->s, SDT_USER + 8, 0x1122);
	assert_contains(
		scheduler_json(b, "arena", 2),
		"\"pages\":[{\"user_addr\":\"0x7f1234560000\",\"hex\":\"00000000000000002211\"},"
		"{\"user_addr\":\"0x7f1234561000\",\"hex\":\"\"}],\"shown\":2,\"total\":256");
}

static void no_arena_and_one_that_cannot_be(void **state)
{
	struct build_scheduler *b = *state;

	put64(b, AT_ARENA + ARENA_END, SDT_USER - 4096);
	assert_contains(scheduler_text(b, "arena", 0), "1 unreadable, the first: arena at ");
	put32(b, AT_ARENA + MAP_TYPE, 1);
	assert_string_equal(scheduler_text(b, "arena", 0), "no arena\n");
}

static void pages_that_were_not_looked_at_may_be_zero_or_not(void **state)
{
	struct build_scheduler *b = *state;

	sdt_put(b->s, SDT_USER + 8, 0x1122);
	sdt_put(b->s, SDT_USER + 4096 + 8, 0x1122);
	assert_string_equal(scheduler_text(b, "arena", 1),
			    "arena the_arena (id 1) 0x7f1234560000 … 0x7f1234660000: 256 pages "
			    "present of 256 declared, 1 of those looked at not zero\n"
			    "  pages: shown 1 of 256\n");
}

static void maps_that_cannot_be_read_are_said(void **state)
{
	struct build_scheduler *b = *state;

	put64(b, AT_NODES + 40 + 8 * 3, UINT64_C(0xffffdead00000000));
	assert_contains(scheduler_text(b, "arena", 0), "1 BPF maps and programs cannot be read\n");
	assert_contains(scheduler_json(b, "arena", 0), "\"maps_and_programs_unreadable\":1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scheduler_test(an_arena_is_a_line_with_its_pages),
		scheduler_test(json_has_what_is_in_the_pages),
		scheduler_test(no_arena_and_one_that_cannot_be),
		scheduler_test(pages_that_were_not_looked_at_may_be_zero_or_not),
		scheduler_test(maps_that_cannot_be_read_are_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
