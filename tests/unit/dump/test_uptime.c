// SPDX-License-Identifier: GPL-2.0-or-later
#include "build_guest.h"

static void uptime_includes_suspended_time(void **state)
{
	assert_string_equal(guest_text(*state, "uptime", 0, 10), "12.500000000 s\n");
}

static void json_has_the_time_of_day_too(void **state)
{
	assert_contains(guest_json(*state, "uptime", 0),
			"{\"uptime_ns\":12500000000,\"realtime_ns\":1000000010500000000");
}

static void an_impossible_timekeeper_is_refused(void **state)
{
	struct build_guest *g = *state;

	guest_u32(g, guest_data(IN_DATA_TIMEKEEPER) + TK_SKIP + TK_SHIFT, 64);
	assert_error_tag(guest_fails(g, "uptime"), "guest-memory");
	guest_u32(g, guest_data(IN_DATA_TIMEKEEPER) + TK_SKIP + TK_SHIFT, 8);
	guest_u64(g, guest_data(IN_DATA_TIMEKEEPER) + TK_SKIP + TK_BASE, UINT64_MAX / 2);
	assert_error_tag(guest_fails(g, "uptime"), "guest-memory");
}

/*
 * Before Linux 6.13 the timekeeper follows a sequence counter in a struct without a name. The
 * counter has 4 bytes, with PREEMPT_RT a pointer as well, as in these types.
 */
static int set_up_old(void **state)
{
	static const struct build_symbol core = { IN_IMAGE_DATA + IN_DATA_TIMEKEEPER, 'd',
						  "tk_core" };

	*state = build_guest_with(false, &core, 1);
	return 0;
}

static void assert_uptime(struct build_guest *g)
{
	struct dump_sink sink = dump_sink_to_text(&g->out, 10);

	kmem_space_forget(&g->kmem->space);
	strbuf_clear(&g->out);
	assert_success(
		dump_one(dump_view_find("uptime"), g->kmem, &(struct dump_request){ 0 }, &sink));
	assert_string_equal(strbuf_str(&g->out), "12.500000000 s\n");
}

static void timekeeper_follows_its_sequence_counter(void **state)
{
	struct build_guest *g = *state;

	guest_attach(g);
	g->kmem->fields.at[KMEM_F_TK_DATA].known = false;
	assert_uptime(g);
	guest_put_time(g, 8);
	g->kmem->fields.at[KMEM_F_TK_SEQUENCE].place.size = 4;
	assert_uptime(g);
	g->kmem->fields.at[KMEM_F_TK_SEQUENCE].known = false;
	assert_uptime(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		guest_test(uptime_includes_suspended_time),
		guest_test(json_has_the_time_of_day_too),
		guest_test(an_impossible_timekeeper_is_refused),
		cmocka_unit_test_setup_teardown(timekeeper_follows_its_sequence_counter, set_up_old,
						guest_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
