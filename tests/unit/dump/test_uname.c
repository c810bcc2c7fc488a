// SPDX-License-Identifier: GPL-2.0-or-later
#include "build_guest.h"

static void all_parts_in_one_line(void **state)
{
	assert_string_equal(guest_text(*state, "uname", 0, 10),
			    "Linux box 7.9-test #1 SMP x86_64\n");
}

static void control_characters_in_names_are_escaped(void **state)
{
	struct build_guest *g = *state;

	build_put(&g->k.memory, IMAGE_AT + IN_IMAGE_UTS + 65, "b\x1b[2J", 6);
	assert_contains(guest_text(g, "uname", 0, 10), "Linux b\\x1b[2J 7.9-test");
	assert_contains(guest_json(g, "uname", 0), "\"nodename\":\"b\\u001b[2J\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		guest_test(all_parts_in_one_line),
		guest_test(control_characters_in_names_are_escaped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
