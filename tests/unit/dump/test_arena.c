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

static void a_missing_arena_differs_from_an_unreadable_one(void **state)
{
	struct build_scheduler *b = *state;

	put64(b, AT_ARENA + ARENA_END, SDT_USER - 4096);
	assert_contains(scheduler_text(b, "arena", 0), "1 unreadable, the first: arena at ");
	put32(b, AT_ARENA + MAP_TYPE, 1);
	assert_string_equal(scheduler_text(b, "arena", 0), "no arena\n");
}

static void only_shown_pages_are_counted_as_not_zero(void **state)
{
	struct build_scheduler *b = *state;

	sdt_put(b->s, SDT_USER + 8, 0x1122);
	sdt_put(b->s, SDT_USER + 4096 + 8, 0x1122);
	assert_string_equal(scheduler_text(b, "arena", 1),
			    "arena the_arena (id 1) 0x7f1234560000 … 0x7f1234660000: 256 pages "
			    "present of 256 declared, 1 of those looked at not zero\n"
			    "  pages: shown 1 of 256\n");
}

static void unreadable_maps_are_counted_in_the_arena_view(void **state)
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
		scheduler_test(a_missing_arena_differs_from_an_unreadable_one),
		scheduler_test(only_shown_pages_are_counted_as_not_zero),
		scheduler_test(unreadable_maps_are_counted_in_the_arena_view),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
