// SPDX-License-Identifier: GPL-2.0-or-later
#include "dump/values.h"

#include "../btf/value_find.h"
#include "build_scheduler.h"
#include "build_view.h"
#include "dump/expr.h"

/* The kernel's own. */
static const struct dump_owner nobody;

static void a_page_that_is_missing_is_a_hole_and_the_rest_is_shown(void **state)
{
	struct bpf_fixture *f = *state;
	_cleanup_dump_values_ struct dump_values values = { .kmem = f->kmem };
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL;
	struct build_btf b = { 0 };
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	_cleanup_btf_ struct btf *btf = NULL;
	uint32_t wide = build_btf_int(&b, "unsigned long", 8, 0), type;
	uint64_t end = RAM_BYTES - 8;

	type = BUILD_STRUCT(&b, "pair", 16, { "here", wide, 0, 0 }, { "gone", wide, 64, 0 });
	build_btf_finish(&b, &bytes);
	assert_success(btf_parse(build_bytes(&bytes), "test", &btf));
	bpf_put_u64(f, end, 99);
	assert_success(dump_value_read(&values, nobody, btf, type, bpf_at(f, end), 16, &tree));
	assert_int_equal(btf_value_find(tree, btf_value_root(tree), "here")->value, 99);
	assert_int_equal(btf_value_find(tree, btf_value_root(tree), "gone")->kind,
			 BTF_VALUE_UNREADABLE);
}

static void pointers_to_tasks_have_a_short_form(void **state)
{
	struct bpf_fixture *f = *state;
	_cleanup_dump_values_ struct dump_values values = { .kmem = f->kmem };
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL;
	struct dump_sink sink = dump_sink_to_text(&f->text, 10);
	struct btf_type task;
	struct build_btf b = { 0 };
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	_cleanup_btf_ struct btf *btf = NULL;
	uint64_t at = bpf_new(f, 8);
	uint32_t type, pointer;

	assert_true(btf_find(f->kmem->btf, BTF_STRUCT, "task_struct", &task));
	b = build_btf_on(&f->types, btf_n_types(f->kmem->btf));
	pointer = build_btf_type(&b, "", 2, 0, task.id);
	type = BUILD_STRUCT(&b, "holder", 8, { "task", pointer, 0, 0 });
	build_btf_finish(&b, &bytes);
	assert_success(btf_parse_split(build_bytes(&bytes), f->kmem->btf, "test", &btf));
	bpf_put_u64(f, at, bpf_at(f, bpf_new_task(f, 41, "worker")));
	assert_success(dump_value_read(&values, nobody, btf, type, bpf_at(f, at), 8, &tree));
	dump_value_show(&sink, "key", "it", tree, btf_value_root(tree));
	assert_contains(strbuf_str(&f->text), "it = holder{task=");
	assert_contains(strbuf_str(&f->text), "worker[41]");
}

/* As the kernel prints them with %pS and %ps. */
static void pointers_into_the_kernel_have_names(void **state)
{
	struct bpf_fixture *f = *state;
	_cleanup_dump_values_ struct dump_values values = { .kmem = f->kmem };
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL;
	struct dump_sink sink = dump_sink_to_text(&f->text, 10);
	struct build_btf b = { 0 };
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	_cleanup_btf_ struct btf *btf = NULL;
	uint64_t at = bpf_new(f, 24);
	uint32_t type, call, data;

	call = build_btf_type(&b, "", 2, 0, build_btf_type(&b, "", 13, 0, 0));
	data = build_btf_type(&b, "", 2, 0, 0);
	type = BUILD_STRUCT(&b, "holder", 24, { "call", call, 0, 0 }, { "data", data, 64, 0 },
			    { "other", data, 128, 0 });
	build_btf_finish(&b, &bytes);
	assert_success(btf_parse(build_bytes(&bytes), "test", &btf));
	bpf_put_u64(f, at, f->k.image + 0x310);
	bpf_put_u64(f, at + 8, f->k.image + IN_IMAGE_DATA + IN_DATA_INIT_TASK);
	bpf_put_u64(f, at + 16, bpf_at(f, at));
	assert_success(dump_value_read(&values, nobody, btf, type, bpf_at(f, at), 24, &tree));
	dump_value_show(&sink, "key", "it", tree, btf_value_root(tree));
	assert_contains(strbuf_str(&f->text), "10 <helper+0x10/0x80>, data=");
	assert_contains(strbuf_str(&f->text), " <init_task>, other=0xffff");
	assert_string_equal(strbuf_str(&f->text) + f->text.n - 3, "0}\n");
}

/* Nobody has to guess whether a member is 0 or not there. */
static void members_that_are_left_out_are_counted(void **state)
{
	struct bpf_fixture *f = *state;
	_cleanup_dump_values_ struct dump_values values = { .kmem = f->kmem };
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL;
	struct dump_sink sink = dump_sink_to_text(&f->text, 10);
	struct btf_type type;

	assert_true(btf_find(f->kmem->btf, BTF_STRUCT, "scx_event_stats", &type));
	tree = dump_value_of(
		&values, nobody, f->kmem->btf, type.id,
		&(struct btf_value_block){
			.data = { (const uint8_t *)"\5\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16 } });
	dump_value_show(&sink, "key", "it", tree, btf_value_root(tree));
	sink.zeros = true;
	dump_value_show(&sink, "key", "it", tree, btf_value_root(tree));
	assert_string_equal(strbuf_str(&f->text),
			    "it = scx_event_stats{SCX_EV_ONE=5, (1 zero)}\n"
			    "it = scx_event_stats{SCX_EV_ONE=5, SCX_EV_TWO=0}\n");
}

static void a_value_past_the_limit_is_refused(void **state)
{
	struct bpf_fixture *f = *state;
	_cleanup_dump_values_ struct dump_values values = { .kmem = f->kmem };
	struct btf_value_tree *tree = NULL;

	assert_error_tag(dump_value_read(&values, nobody, NULL, 0, bpf_at(f, 0),
					 DUMP_LIMIT_VALUE_BYTES + 1, &tree),
			 "limit");
	assert_null(tree);
}

static void without_a_type_bytes_are_written(void **state)
{
	struct bpf_fixture *f = *state;
	_cleanup_dump_values_ struct dump_values values = { .kmem = f->kmem };
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL;
	struct json_writer json = json_writer_to(&f->json, JSON_COMPACT);
	struct dump_sink sink = dump_sink_to_json(&json);
	uint64_t at = bpf_new(f, 8);

	bpf_put_u64(f, at, 0x0102);
	assert_success(dump_value_read(&values, nobody, NULL, 0, bpf_at(f, at), 3, &tree));
	dump_open(&sink, NULL);
	dump_value_show(&sink, "it", "label", tree, btf_value_root(tree));
	dump_close(&sink);
	assert_string_equal(strbuf_str(&f->json),
			    "{\"it\":{\"kind\":\"bytes\",\"hex\":\"02 01 00\"}}");
}

/* One memory for all of them: the element, what it points to, and back. */
static const char circle[] = "task_ctx{pid=77, next=0x7f1234";

static void the_arena_is_followed_in_values_of_maps(void **state)
{
	struct build_scheduler *b = *state;

	put_array(b, put_circle(b));
	assert_contains(scheduler_view(b, "map", "ctx_array", false),
			"[0] = task_ctx:\n    pid=66\n");
	assert_contains(strbuf_str(&b->out), "pid=77\n");
	assert_contains(strbuf_str(&b->out), "task_ctx{pid=88");
	assert_contains(strbuf_str(&b->out), "see #1");
	assert_contains(scheduler_view(b, "map", "ctx_array", true), "\"deref\":{");
}

static void the_arena_is_followed_in_global_variables(void **state)
{
	struct build_scheduler *b = *state;

	(void)put_circle(b);
	assert_contains(scheduler_view(b, "map", ".bss", false), "first_ctx = 0x7f1234");
	assert_contains(strbuf_str(&b->out), circle);
	assert_contains(strbuf_str(&b->out), "task_ctx{pid=88");
}

static void the_arena_is_followed_in_expressions(void **state)
{
	struct build_scheduler *b = *state;
	struct dump_sink sink = dump_sink_to_text(&b->out, 100);

	(void)put_circle(b);
	scheduler_attach(b);
	assert_success(dump_expr(b->kmem, "bpf:first_ctx", &sink));
	assert_contains(strbuf_str(&b->out), "first_ctx = 0x7f1234");
	assert_contains(strbuf_str(&b->out), circle);
	strbuf_clear(&b->out);
	assert_success(dump_expr(b->kmem, "*bpf:first_ctx", &sink));
	/* The same place is the same by both ways. */
	assert_contains(strbuf_str(&b->out), "[cycle] → see #1");
	assert_contains(strbuf_str(&b->out), "task_ctx{pid=88");
}

static void the_arena_is_followed_in_allocators(void **state)
{
	struct build_scheduler *b = *state;

	(void)put_circle(b);
	assert_contains(scheduler_view(b, "sdt", NULL, false), circle);
	assert_contains(strbuf_str(&b->out), "task_ctx{pid=88");
}

/* Two programs may have arenas at the same addresses; a map that none of them uses tells nothing.
 */
static void pointers_of_a_map_that_no_program_uses_stay_numbers(void **state)
{
	struct build_scheduler *b = *state;
	const uint64_t maps[] = { AT_ARENA, AT_BSS, AT_OTHER, AT_NODES + 0x2000 };

	put_array(b, put_circle(b));
	put32(b, AT_AUX + AUX_N_MAPS, 2);
	put_arena(b, AT_NODES + 0x2000, 9, "another");
	put_idr(b, IN_DATA_MAP_IDR, AT_NODES, maps, 4);
	assert_contains(scheduler_view(b, "map", "ctx_array", false), "task_ctx{pid=66, next=0x7f");
	assert_null(strstr(strbuf_str(&b->out), "pid=77"));
}

/* A list through the whole arena ends where the budget does, and says so. */
static void a_long_list_ends_with_the_budget(void **state)
{
	struct build_scheduler *b = *state;
	uint64_t at = sdt_bump(b->s, 16), first = at;

	put_array(b, first);
	for (unsigned int i = 0; i < 2 * DUMP_LIMIT_FOLLOWED_BYTES / 16; i++) {
		uint64_t next = sdt_bump(b->s, 16);

		sdt_put(b->s, at, i + 1);
		sdt_put(b->s, at + 8, next);
		at = next;
	}
	assert_contains(scheduler_view(b, "map", "ctx_array", true), "deref_skipped_reason");
	assert_true(b->out.n < 1 << 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		bpf_test(a_page_that_is_missing_is_a_hole_and_the_rest_is_shown),
		bpf_test(pointers_to_tasks_have_a_short_form),
		bpf_test(pointers_into_the_kernel_have_names),
		bpf_test(members_that_are_left_out_are_counted),
		bpf_test(a_value_past_the_limit_is_refused),
		bpf_test(without_a_type_bytes_are_written),
		scheduler_test(the_arena_is_followed_in_values_of_maps),
		scheduler_test(the_arena_is_followed_in_global_variables),
		scheduler_test(the_arena_is_followed_in_expressions),
		scheduler_test(the_arena_is_followed_in_allocators),
		scheduler_test(pointers_of_a_map_that_no_program_uses_stay_numbers),
		scheduler_test(a_long_list_ends_with_the_budget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
