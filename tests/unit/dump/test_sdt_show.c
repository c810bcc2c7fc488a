// SPDX-License-Identifier: GPL-2.0-or-later
#include "dump/sdt.h"

#include "build_scheduler.h"

static void a_cut_list_of_elements_is_marked_truncated(void **state)
{
	struct build_scheduler *b = *state;

	for (uint32_t i = 0; i < 20; i++)
		sdt_alloc(b->s, i);
	put_allocator(b);
	assert_contains(scheduler_text(b, "sdt", 5), "): shown 5 of 20 live (truncated)\n");
	assert_contains(scheduler_json(b, "sdt", 5),
			"],\"truncated\":true,\"total\":20,\"skipped_subtrees\":0,");
	assert_null(strstr(scheduler_json(b, "sdt", 20), "truncated"));
}

static void skipped_subtrees_are_counted_by_reason(void **state)
{
	struct build_scheduler *b = *state;

	sdt_alloc(b->s, 1);
	sdt_alloc(b->s, 512);
	sdt_put(b->s, sdt_desc_at(b->s, 512, 2) + IN_DESC_FREE, 513);
	put_allocator(b);
	assert_contains(scheduler_text(b, "sdt", 0), "): 1 live (1 subtrees skipped)\n"
						     "  skipped: 1 descriptors with more free");
	assert_contains(scheduler_json(b, "sdt", 0), "\"skipped_subtrees\":1,");
}

static void an_empty_allocator_has_no_entries(void **state)
{
	struct build_scheduler *b = *state;

	assert_contains(scheduler_text(b, "sdt", 0), "): 0 live\n");
	assert_null(strstr(scheduler_json(b, "sdt", 0), "\"entries\""));
}

static void a_payload_without_a_type_is_bytes_with_a_reason(void **state)
{
	struct build_scheduler *b = *state;

	b->s->elem_size = 104;
	sdt_alloc(b->s, 1);
	put_allocator(b);
	assert_contains(scheduler_text(b, "sdt", 0),
			"(elem_size=104, btf_type_id=0, reason=no candidate of size 96): 1 live\n");
	assert_contains(scheduler_json(b, "sdt", 0), "\"payload\":{\"kind\":\"bytes\"");
	assert_contains(
		strbuf_str(&b->out),
		"\"payload_btf_type_id\":0,\"payload_type_reason\":\"no candidate of size 96\"");
}

/* People decode by hand what has no type: JSON has all of it, a line has not. */
static void a_large_payload_without_a_type_is_whole_in_json(void **state)
{
	struct build_scheduler *b = *state;
	uint64_t at;

	b->s->elem_size = 1032;
	at = sdt_alloc(b->s, 1);
	sdt_put(b->s, at + 1024, UINT64_C(0xa1a2a3a4a5a6a7a8));
	put_allocator(b);
	assert_contains(scheduler_json(b, "sdt", 0), "a8 a7 a6 a5 a4 a3 a2 a1\"}}]");
	assert_null(strstr(strbuf_str(&b->out), "\"len\""));
	assert_contains(scheduler_text(b, "sdt", 0), " /* 256 of 1024 shown */\n");
}

static void elements_that_are_all_zero_are_counted(void **state)
{
	struct build_scheduler *b = *state;
	uint64_t at = sdt_alloc(b->s, 1);

	sdt_alloc(b->s, 2);
	sdt_put(b->s, at + 8, 0);
	sdt_put(b->s, at + 16, 0);
	put_allocator(b);
	assert_contains(scheduler_text(b, "sdt", 0), "  zeroed, perhaps being freed: 1\n");
	assert_contains(scheduler_json(b, "sdt", 0), ",\"zeroed\":1}");
}

static void a_torn_size_and_an_unknown_arena_are_said(void **state)
{
	struct build_scheduler *b = *state;

	b->s->elem_size = 8;
	put_allocator(b);
	assert_contains(scheduler_text(b, "sdt", 0), "(elem_size=8, ");
	assert_contains(strbuf_str(&b->out), "  not walked: its element size");
	b->s->elem_size = 24;
	put64(b, AT_AUX + AUX_ARENA, 0);
	put_allocator(b);
	assert_contains(scheduler_json(b, "sdt", 0), "\"not_walked\":\"no program says");
}

static void lines_that_find_no_room_are_counted(void **state)
{
	struct build_scheduler *b = *state;
	struct dump_request request = { 0 };
	struct dump_sink sink = dump_sink_to_text(&b->out, 4);

	for (uint32_t i = 0; i < 20; i++)
		sdt_alloc(b->s, i);
	put_allocator(b);
	scheduler_attach(b);
	assert_success(dump_one(dump_view_find("sdt"), b->kmem, &request, &sink));
	assert_contains(strbuf_str(&b->out), "): shown 3 of 20 live (truncated)\n");
	assert_int_equal(sink.lines_left, 0);
	assert_int_equal(sink.lines_lost, 17);
}

static void elements_are_counted_after_json_is_full(void **state)
{
	struct build_scheduler *b = *state;
	struct json_writer writer = json_writer_to(&b->out, JSON_COMPACT);
	struct dump_sink sink = dump_sink_to_json(&writer);

	for (uint32_t i = 0; i < 20; i++)
		sdt_alloc(b->s, i);
	put_allocator(b);
	scheduler_attach(b);
	sink.most_json = 1;
	assert_success(
		dump_one(dump_view_find("sdt"), b->kmem, &(struct dump_request){ 0 }, &sink));
	assert_contains(strbuf_str(&b->out), "\"truncated\":true,\"total\":20,");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scheduler_test(a_cut_list_of_elements_is_marked_truncated),
		scheduler_test(skipped_subtrees_are_counted_by_reason),
		scheduler_test(an_empty_allocator_has_no_entries),
		scheduler_test(a_payload_without_a_type_is_bytes_with_a_reason),
		scheduler_test(a_large_payload_without_a_type_is_whole_in_json),
		scheduler_test(elements_that_are_all_zero_are_counted),
		scheduler_test(a_torn_size_and_an_unknown_arena_are_said),
		scheduler_test(lines_that_find_no_room_are_counted),
		scheduler_test(elements_are_counted_after_json_is_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
