// SPDX-License-Identifier: GPL-2.0-or-later
#include "build_scheduler.h"

static void entries_are_shown_by_their_type(void **state)
{
	struct build_scheduler *b = *state;
	uint64_t at = sdt_alloc(b->s, 7);
	char wanted[128];

	sdt_put(b->s, at + 8, 77);
	sdt_put(b->s, at + 16, 0);
	put_allocator(b);
	snprintf(wanted, sizeof(wanted), "elem_size=24, btf_type_id=%u, a guess by size): 1 live\n",
		 b->payload);
	assert_contains(scheduler_text(b, "sdt", 0), "sdt_alloc scx_task_allocator (");
	assert_contains(strbuf_str(&b->out), wanted);
	assert_contains(strbuf_str(&b->out), "\n  idx=7 genn=1 user_addr=0x7f123456");
	assert_contains(strbuf_str(&b->out), " payload=task_ctx{pid=77}");
}

static void json_has_its_keys(void **state)
{
	struct build_scheduler *b = *state;
	char wanted[256];
	uint64_t at = sdt_alloc(b->s, 7);

	put_allocator(b);
	snprintf(wanted, sizeof(wanted),
		 "{\"sdt_allocations\":[{\"allocator_name\":\"scx_task_allocator\",\"entries\":[{"
		 "\"idx\":7,\"genn\":1,\"user_addr\":\"%#llx\",\"payload\":{\"kind\":\"struct\"",
		 (unsigned long long)at);
	assert_contains(scheduler_json(b, "sdt", 0), wanted);
	snprintf(wanted, sizeof(wanted),
		 "}],\"skipped_subtrees\":0,\"elem_size\":24,\"payload_btf_type_id\":%u,"
		 "\"payload_type_guessed_by\":\"size\"}]",
		 b->payload);
	assert_contains(strbuf_str(&b->out), wanted);
}

static void ranges_of_bump_allocators_are_listed(void **state)
{
	struct build_scheduler *b = *state;

	assert_contains(scheduler_json(b, "sdt", 0), "\"scx_static\":[]");
	put64(b, AT_BSS + ARRAY_VALUE + BSS_STATIC, 8192);
	put64(b, AT_BSS + ARRAY_VALUE + BSS_STATIC + 8, SDT_USER);
	put64(b, AT_BSS + ARRAY_VALUE + BSS_STATIC + 16, 24);
	assert_contains(scheduler_text(b, "sdt", 0),
			"scx_static scx_common: 0x7f1234560000, 24 of 8192 bytes used\n");
	assert_contains(scheduler_json(b, "sdt", 0),
			"\"scx_static\":[{\"name\":\"scx_common\",\"memory\":\"0x7f1234560000\","
			"\"max_alloc_bytes\":8192,\"off\":24}]");
}

static void assert_unavailable(struct build_scheduler *b, const char *reason)
{
	struct dump_request request = { 0 };
	struct dump_sink sink = dump_sink_to_text(&b->out, 100);
	struct error *err;

	scheduler_attach(b);
	err = dump_one(dump_view_find("sdt"), b->kmem, &request, &sink);
	assert_non_null(err);
	assert_contains(error_message(err), reason);
	error_free(err);
}

static void missing_arena_types_or_allocator_have_separate_reasons(void **state)
{
	struct build_scheduler *b = *state;

	put64(b, AT_BSS + MAP_BTF, 0);
	assert_unavailable(b, "variables with types");
	put64(b, AT_BSS + MAP_BTF, pointer_to(b, AT_BTF));
	put32(b, AT_BSS + MAP_VALUE_TYPE, 1);
	assert_unavailable(b, "struct scx_allocator");
	put32(b, AT_ARENA + MAP_TYPE, 1);
	assert_unavailable(b, "arena");
}

static void a_variable_outside_of_its_map_is_not_read(void **state)
{
	struct build_scheduler *b = *state;

	put32(b, AT_BSS + MAP_VALUE_SIZE, BSS_ALLOCATOR + 39);
	assert_contains(scheduler_text(b, "sdt", 0),
			"not walked: scx_task_allocator is outside its map");
}

/* Two allocators in an array of arrays: one with entries, one that was never set up. */
static void each_allocator_of_an_array_is_shown(void **state)
{
	struct build_scheduler *b;
	uint64_t second = AT_BSS + ARRAY_VALUE + BSS_ALLOCATOR + 40;

	scheduler_tear_down(state);
	scheduler_set_up_with(state, true);
	b = *state;
	sdt_alloc(b->s, 7);
	sdt_alloc(b->s, 8);
	put_allocator(b);
	put64(b, second + 8, b->s->elem_size);
	put64(b, second + 32, 0);
	assert_contains(scheduler_text(b, "sdt", 0), "sdt_alloc scx_allocators[0][0] (");
	assert_contains(strbuf_str(&b->out), ": 2 live\n");
	assert_contains(strbuf_str(&b->out), "sdt_alloc scx_allocators[1][0] (");
	assert_contains(strbuf_str(&b->out), ": 0 live\n");
	/* The same tree twice: what it holds is in both. */
	put64(b, second + 32, b->s->root);
	assert_contains(scheduler_json(b, "sdt", 0),
			"{\"allocator_name\":\"scx_allocators[1][0]\",\"entries\":[{\"idx\":7,");
}

static void unreadable_types_differ_from_a_missing_allocator(void **state)
{
	struct build_scheduler *b = *state;

	put64(b, AT_BTF + BTF_DATA, UINT64_C(0xffffdead00000000));
	assert_unavailable(b, "types of 1 maps of variables: ");
}

static void a_range_that_cannot_be_read_is_said(void **state)
{
	struct build_scheduler *b = *state;

	put32(b, AT_BSS + MAP_VALUE_SIZE, BSS_STATIC + 1);
	assert_contains(scheduler_text(b, "sdt", 0),
			"scx_static scx_common: unavailable: scx_common is outside its map\n");
	assert_contains(scheduler_json(b, "sdt", 0),
			"{\"name\":\"scx_common\",\"unavailable\":\"scx_common is");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scheduler_test(entries_are_shown_by_their_type),
		scheduler_test(json_has_its_keys),
		scheduler_test(ranges_of_bump_allocators_are_listed),
		scheduler_test(missing_arena_types_or_allocator_have_separate_reasons),
		scheduler_test(a_variable_outside_of_its_map_is_not_read),
		scheduler_test(each_allocator_of_an_array_is_shown),
		scheduler_test(unreadable_types_differ_from_a_missing_allocator),
		scheduler_test(a_range_that_cannot_be_read_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
