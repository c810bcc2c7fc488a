// SPDX-License-Identifier: GPL-2.0-or-later
#include "build_guest.h"

enum { RESERVED, COMMITTED, FINALIZED, REUSABLE };

static void records_from_the_oldest_on(void **state)
{
	struct build_guest *g = *state;

	guest_put_ring(g, 1000, 1003);
	guest_put_record(g, 1000, FINALIZED, 0, 24, 0, "one");
	guest_put_record(g, 1001, COMMITTED, 24, 48, 24, "two\nmore\x1b");
	guest_put_record(g, 1002, RESERVED, 48, 64, 48, "not yet");
	guest_put_record(g, 1003, FINALIZED, 48, 72, 48, "three");
	assert_string_equal(guest_text(g, "log", 0, 20), "[    1.500000] one\n"
							 "[    1.501500] two\n"
							 "[    1.501500] more\\x1b\n"
							 "[    1.504500] three\n");
	assert_contains(guest_json(g, "log", 1),
			"{\"records\":[{\"seq\":1003,\"time_ns\":1504500000,\"level\":6,"
			"\"text\":\"three\"}],\"shown\":1,\"total\":3,");
}

static void a_log_text_that_wrapped_is_read_from_the_start_of_the_ring(void **state)
{
	struct build_guest *g = *state;

	guest_put_ring(g, 8, 10);
	guest_put_record(g, 8, FINALIZED, 96, 112, 96, "before");
	/* From 112 up to 128 is no room for it. */
	guest_put_record(g, 9, FINALIZED, 112, 128 + 32, 0, "at the start");
	/* Since Linux 6.17 one may end exactly at the end. */
	guest_put_record(g, 10, FINALIZED, 128 + 112, 256, 112, "to end");
	assert_string_equal(guest_text(g, "log", 0, 20), "[    0.012000] before\n"
							 "[    0.013500] at the start\n"
							 "[    0.015000] to end\n");
}

static void an_empty_record_is_an_empty_line(void **state)
{
	struct build_guest *g = *state;

	guest_put_ring(g, 8, 8);
	guest_put_record(g, 8, FINALIZED, 3, 3, 0, "nothing of this");
	assert_string_equal(guest_text(g, "log", 0, 20), "[    0.012000] \n");
}

static void a_wrong_text_length_does_not_leave_its_block(void **state)
{
	struct build_guest *g = *state;

	guest_put_ring(g, 8, 9);
	guest_put_record(g, 9, FINALIZED, 16, 32, 16, "secret");
	guest_put_record(g, 8, FINALIZED, 0, 16, 0, "12345678");
	build_put(&g->k.memory, LOG_INFOS_AT + 16, "\xff\xff", 2);
	assert_string_equal(guest_text(g, "log", 0, 20), "[    0.012000] 12345678\n"
							 "[    0.013500] secret\n");
}

static void an_unreadable_log_text_is_reported(void **state)
{
	struct build_guest *g = *state;

	guest_put_ring(g, 8, 8);
	guest_put_record(g, 8, FINALIZED, 0, 24, 0, "one");
	guest_u64(g, 0xe000 + PRB_DATA, 0x10);
	assert_string_equal(guest_text(g, "log", 0, 20),
			    "[    0.012000] its text cannot be read\n");
}

static void a_log_ring_with_impossible_numbers_is_refused(void **state)
{
	struct build_guest *g = *state;

	guest_put_ring(g, 8, 800);
	assert_error_tag(guest_fails(g, "log"), "guest-memory");
	guest_put_ring(g, 9, 8);
	assert_error_tag(guest_fails(g, "log"), "guest-memory");
	guest_put_ring(g, 8, 8);
	guest_u32(g, 0xe000 + PRB_COUNT_BITS, 200);
	assert_error_tag(guest_fails(g, "log"), "guest-memory");
}

static void a_lost_log_text_is_not_an_empty_line(void **state)
{
	struct build_guest *g = *state;

	guest_put_ring(g, 8, 9);
	/* FAILED_LPOS, and an end before its beginning. */
	guest_put_record(g, 8, FINALIZED, 1, 1, 0, "nothing of this");
	guest_put_record(g, 9, FINALIZED, 24, 16, 24, "nor of this");
	assert_string_equal(guest_text(g, "log", 0, 20), "[    0.012000] its text is lost\n"
							 "[    0.013500] its text is lost\n");
}

static void a_text_of_another_record_is_not_shown(void **state)
{
	struct build_guest *g = *state;

	guest_put_ring(g, 8, 8);
	guest_put_record(g, 8, FINALIZED, 0, 24, 0, "old");
	guest_u64(g, LOG_TEXT_AT, 16);
	assert_string_equal(guest_text(g, "log", 0, 20),
			    "[    0.012000] its text was overwritten\n");
}

static void records_that_cannot_be_read_are_counted(void **state)
{
	struct build_guest *g = *state;

	guest_put_ring(g, 8, 10);
	guest_u64(g, 0xe000 + PRB_DESCS, 0x10);
	assert_string_equal(guest_text(g, "log", 0, 20), "records: shown 0 of 3\n"
							 "3 records cannot be read\n");
	assert_contains(guest_json(g, "log", 0), "\"shown\":0,\"total\":3,");
	assert_contains(strbuf_str(&g->out), "\"unreadable\":3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		guest_test(records_from_the_oldest_on),
		guest_test(a_log_text_that_wrapped_is_read_from_the_start_of_the_ring),
		guest_test(an_empty_record_is_an_empty_line),
		guest_test(a_wrong_text_length_does_not_leave_its_block),
		guest_test(an_unreadable_log_text_is_reported),
		guest_test(a_log_ring_with_impossible_numbers_is_refused),
		guest_test(a_lost_log_text_is_not_an_empty_line),
		guest_test(a_text_of_another_record_is_not_shown),
		guest_test(records_that_cannot_be_read_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
