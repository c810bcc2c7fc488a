// SPDX-License-Identifier: GPL-2.0-or-later
#include "build_guest.h"

static void time_asleep_counts(void **state)
{
	assert_string_equal(guest_text(*state, "uptime", 0, 10), "12.500000000 s\n");
}

static void json_has_the_time_of_day_too(void **state)
{
	assert_contains(guest_json(*state, "uptime", 0),
			"{\"uptime_ns\":12500000000,\"realtime_ns\":1000000010500000000");
}

static void what_makes_no_sense_is_not_shown(void **state)
{
	struct build_guest *g = *state;

	guest_u32(g, guest_data(IN_DATA_TIMEKEEPER) + TK_SKIP + TK_SHIFT, 64);
	assert_error_tag(guest_fails(g, "uptime"), "guest-memory");
	guest_u32(g, guest_data(IN_DATA_TIMEKEEPER) + TK_SKIP + TK_SHIFT, 8);
	guest_u64(g, guest_data(IN_DATA_TIMEKEEPER) + TK_SKIP + TK_BASE, UINT64_MAX / 2);
	assert_error_tag(guest_fails(g, "uptime"), "guest-memory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		guest_test(time_asleep_counts),
		guest_test(json_has_the_time_of_day_too),
		guest_test(what_makes_no_sense_is_not_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
