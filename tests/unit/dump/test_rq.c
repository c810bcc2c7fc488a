// SPDX-License-Identifier: GPL-2.0-or-later
#include "build_guest.h"

static void every_possible_cpu_has_a_line(void **state)
{
	const char *text = guest_text(*state, "rq", 0, 10);

	assert_contains(
		text,
		"        0        0    0   -   -    -         -        5000  swapper[0] idle\n");
	assert_contains(text,
			"        1        3    2   -   -    -         -        5001  server[7]\n");
	assert_contains(text, "2 (offline)        0    0");
	assert_null(strstr(text, "5003"));
}

static void json_leaves_out_what_the_kernel_does_not_have(void **state)
{
	const char *text = guest_json(*state, "rq", 0);

	assert_contains(text,
			"{\"cpu\":1,\"online\":true,\"nr_running\":3,\"cfs\":2,\"clock\":5001,"
			"\"curr\":{\"address\":");
	assert_contains(text, "\"pid\":7,\"comm\":\"server\",\"idle\":false}}");
	assert_contains(text, "{\"cpu\":2,\"online\":false");
	assert_null(strstr(text, "\"rt\""));
}

static void an_unreadable_current_task_is_reported(void **state)
{
	struct build_guest *g = *state;

	guest_u64(g, guest_rq_at(1) + RQ_CURR, 0x10);
	assert_contains(guest_text(g, "rq", 0, 10), "5001  ? (unmapped)");
	assert_contains(
		guest_json(g, "rq", 0),
		"\"curr\":{\"address\":\"0x10\",\"pid\":null,\"comm\":null,\"unavailable\":\"unmapped\",\"idle\":false}");
}

static void without_types_there_is_a_reason(void **state)
{
	guest_tear_down(state);
	*state = build_guest_new(true);
	assert_error_tag(guest_fails(*state, "rq"), "no-kernel-field");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		guest_test(every_possible_cpu_has_a_line),
		guest_test(json_leaves_out_what_the_kernel_does_not_have),
		guest_test(an_unreadable_current_task_is_reported),
		guest_test(without_types_there_is_a_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
