// SPDX-License-Identifier: GPL-2.0-or-later
#include "btf/value_builder.h"

#include "btf/limits.h"
#include "values.h"

static struct btf_value_tree *follow(struct pages *pages, const struct btf *btf, uint32_t type,
				     uint64_t at, uint64_t n, const struct btf_value_options *more)
{
	struct btf_value_memory memory = { pages, pages_read, pages_step };
	struct btf_value_options options = more ? *more : (struct btf_value_options){ 0 };
	struct btf_value_block block = { .data = { pages->bytes + at, n },
					 .address = PAGES_AT + at };

	options.memory = &memory;
	return btf_value_new(btf, type, &block, &options);
}

static void pointers_are_followed_as_far_as_the_caller_says(void **state UNUSED)
{
	static struct pages pages;
	_cleanup_btf_value_ struct btf_value_tree *none = NULL, *one = NULL;
	_cleanup_sample_ struct sample s;

	sample_init(&s);
	memset(&pages, 0, sizeof(pages));
	put_rq(&pages, 0, 4, PAGES_AT + 256);
	put_task(&pages, 256, "bash", 77, PAGES_AT + 512);
	none = follow(&pages, s.btf, s.rq, 0, 96, NULL);
	assert_text(none, "rq{nr_running=4, curr=0xffff888000010100}");
	assert_int_equal(pages.asked, 1);
	pages.follow_below = 1;
	one = follow(&pages, s.btf, s.rq, 0, 96, NULL);
	assert_text(one, "rq{nr_running=4, curr=0xffff888000010100 → task{comm=\"bash\", pid=77, "
			 "cpu=2, rq=0xffff888000010200, on=true}}");
	assert_int_equal(one->followed, 1);
	assert_int_equal(one->bytes, 96 + 40);
}

static void a_pointer_back_refers_to_the_struct_already_shown(void **state UNUSED)
{
	static struct pages pages;
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL;
	_cleanup_sample_ struct sample s;
	const struct btf_value_node *back;

	sample_init(&s);
	memset(&pages, 0, sizeof(pages));
	pages.follow_below = 10;
	put_rq(&pages, 0, 4, PAGES_AT + 256);
	put_task(&pages, 256, "bash", 77, PAGES_AT);
	tree = follow(&pages, s.btf, s.rq, 0, 96, NULL);
	assert_text(tree, "#1 rq:\n"
			  "  nr_running=4\n"
			  "  curr=0xffff888000010100 → task{comm=\"bash\", "
			  "pid=77, cpu=2, rq=0xffff888000010000 [cycle] → see #1, on=true}");
	back = btf_value_find(tree, btf_value_root(tree), "curr.rq");
	assert_true(back->is_cycle);
	assert_int_equal(back->ref, 1);
	/* And a path goes through it. */
	assert_int_equal(btf_value_find(tree, btf_value_root(tree), "curr.rq.curr.pid")->value, 77);
}

/* Two list heads that lead to the same third: shown once, no cycle. */
static void shared_targets_are_shown_once(void **state UNUSED)
{
	static struct pages pages;
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL;
	_cleanup_sample_ struct sample s;

	sample_init(&s);
	memset(&pages, 0, sizeof(pages));
	pages.follow_below = 1;
	put_bytes(pages.bytes, PAGES_AT + 64, 8);
	put_bytes(pages.bytes + 8, PAGES_AT + 64, 8);
	put_bytes(pages.bytes + 64, 0x1234, 8);
	tree = follow(&pages, s.btf, s.list_head, 0, 16, NULL);
	assert_text(tree, "list_head{next=0xffff888000010040 → #1 list_head{next=0x1234}, "
			  "prev=0xffff888000010040 → see #1}");
	assert_int_equal(tree->followed, 1);
}

static void embedded_structs_are_known_by_their_address(void **state UNUSED)
{
	static struct pages pages;
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL;
	_cleanup_sample_ struct sample s;

	sample_init(&s);
	memset(&pages, 0, sizeof(pages));
	pages.follow_below = 5;
	/* An empty list: its head points to itself. */
	put_bytes(pages.bytes + 16, PAGES_AT + 16, 8);
	put_bytes(pages.bytes + 24, PAGES_AT + 16, 8);
	tree = follow(&pages, s.btf, s.dsq, 0, 32, NULL);
	assert_int_equal(tree->followed, 0);
	assert_text(tree, "dsq{list=#1 list_head{next=0xffff888000010010 [cycle] → see #1, "
			  "prev=0xffff888000010010 [cycle] → see #1}}");
}

static void an_unreadable_value_carries_its_reason(void **state UNUSED)
{
	static struct pages pages;
	_cleanup_btf_value_ struct btf_value_tree *unmapped = NULL, *outside = NULL, *half = NULL;
	_cleanup_sample_ struct sample s;

	sample_init(&s);
	memset(&pages, 0, sizeof(pages));
	pages.follow_below = 1;
	put_rq(&pages, 0, 4, PAGES_AT + PAGE);
	unmapped = follow(&pages, s.btf, s.rq, 0, 96, NULL);
	assert_text(unmapped, "rq{nr_running=4, curr=0xffff888000011000 [chase: unmapped]}");
	put_rq(&pages, 0, 4, 16);
	outside = follow(&pages, s.btf, s.rq, 0, 96, NULL);
	assert_text(outside, "rq{nr_running=4, curr=0x10 [chase: outside RAM]}");
	/* The last twenty bytes of the task lie on a page that is not there. */
	put_rq(&pages, 0, 4, PAGES_AT + PAGE - 20);
	put_task(&pages, PAGE - 20, "bash", 77, 0);
	half = follow(&pages, s.btf, s.rq, 0, 96, NULL);
	assert_text(half, "rq:\n"
			  "  nr_running=4\n"
			  "  curr=0xffff888000010fec → task:\n"
			  "    comm=\"bash\"\n"
			  "    pid=77   cpu=<unreadable: unmapped>   rq=<unreadable: unmapped>\n"
			  "    on=<unreadable: unmapped>");
}

static void declarations_are_followed_to_their_body_or_say_so(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	_cleanup_btf_ struct btf *btf = NULL;
	_cleanup_btf_value_ struct btf_value_tree *body = NULL, *none = NULL, *nothing = NULL;
	static struct pages pages;
	struct build_btf b = { 0 };
	uint32_t number, forward, lost, to_forward, to_lost, to_void;

	number = build_btf_int(&b, "int", 4, 1);
	forward = build_btf_type(&b, "sdt_data", BTF_FWD, 0, 0);
	lost = build_btf_type(&b, "sdt_chunk", BTF_FWD, 0, 0);
	to_forward = build_btf_type(&b, "", BTF_PTR, 0, forward);
	to_lost = build_btf_type(&b, "", BTF_PTR, 0, lost);
	to_void = build_btf_type(&b, "", BTF_PTR, 0, 0);
	/* A union of that name is another thing. */
	BUILD_UNION(&b, "sdt_chunk", 4, { "x", number, 0, 0 });
	BUILD_STRUCT(&b, "sdt_data", 4, { "idx", number, 0, 0 });
	build_btf_finish(&b, &bytes);
	assert_success(btf_parse(build_bytes(&bytes), "forward", &btf));
	memset(&pages, 0, sizeof(pages));
	pages.follow_below = 1;
	put_bytes(pages.bytes, PAGES_AT + 64, 8);
	pages.bytes[64] = 9;
	body = follow(&pages, btf, to_forward, 0, 8, NULL);
	assert_text(body, "0xffff888000010040 → sdt_data{idx=9}");
	none = follow(&pages, btf, to_lost, 0, 8, NULL);
	assert_text(none, "0xffff888000010040 [chase: struct sdt_chunk is a forward declaration, "
			  "no body]");
	nothing = follow(&pages, btf, to_void, 0, 8, NULL);
	assert_text(nothing, "0xffff888000010040 [chase: void is void]");
}

/* Larger than one target may be: the rest is counted, and what was read ends at the limit. */
static void large_targets_are_read_up_to_their_limit(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	_cleanup_btf_ struct btf *btf = NULL;
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL;
	static struct pages pages;
	struct build_btf b = { 0 };
	uint32_t u64 = build_btf_int(&b, "unsigned long", 8, 0), many, pointer;

	many = build_btf_array(&b, u64, BTF_LIMIT_VALUE_TARGET_BYTES);
	pointer = build_btf_type(&b, "", BTF_PTR, 0, many);
	build_btf_finish(&b, &bytes);
	assert_success(btf_parse(build_bytes(&bytes), "large", &btf));
	memset(&pages, 0, sizeof(pages));
	pages.follow_below = 1;
	put_bytes(pages.bytes, PAGES_AT + 64, 8);
	tree = follow(&pages, btf, pointer, 0, 8, NULL);
	assert_int_equal(tree->bytes, BTF_LIMIT_VALUE_TARGET_BYTES + 8);
	assert_true(tree->is_cut);
	assert_int_equal(btf_value_first(tree, btf_value_root(tree))->kind, BTF_VALUE_TRUNCATED);
}

static void a_budget_of_bytes_ends_the_following(void **state UNUSED)
{
	const struct btf_value_options small = { .max_bytes = 96 + 20 }, none = { .max_bytes = 96 };
	static struct pages pages;
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL, *spent = NULL;
	_cleanup_sample_ struct sample s;

	sample_init(&s);
	memset(&pages, 0, sizeof(pages));
	pages.follow_below = 5;
	put_rq(&pages, 0, 4, PAGES_AT + 256);
	put_task(&pages, 256, "bash", 77, PAGES_AT + 512);
	tree = follow(&pages, s.btf, s.rq, 0, 96, &small);
	assert_text(tree, "rq{nr_running=4, curr=0xffff888000010100 → <truncated needed=40 had=20> "
			  "task{comm=\"bash\", pid=77 /* 2 of 5 shown */}}");
	assert_true(tree->is_cut);
	spent = follow(&pages, s.btf, s.rq, 0, 96, &none);
	assert_text(
		spent,
		"rq{nr_running=4, curr=0xffff888000010100 [chase: budget for following pointers exhausted]}");
}

/* A chain of tasks and runqueues, each at its own place: only nesting ends it. */
static void long_chains_end_at_the_limit_of_nesting(void **state UNUSED)
{
	static struct pages pages;
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL;
	_cleanup_sample_ struct sample s;
	uint32_t deepest = 0;

	sample_init(&s);
	memset(&pages, 0, sizeof(pages));
	pages.follow_below = 1000;
	for (uint64_t i = 0; i + 16 < PAGE; i += 16)
		put_bytes(pages.bytes + i, PAGES_AT + i + 16, 8);
	tree = follow(&pages, s.btf, s.list_head, 0, 16, NULL);
	for (uint32_t i = 1; i < tree->n; i++) {
		uint32_t depth = 0;

		for (uint32_t k = i; k; k = tree->nodes[k].parent)
			depth++;
		deepest = depth > deepest ? depth : deepest;
	}
	assert_in_range(deepest, BTF_LIMIT_VALUE_NESTING / 2, 2 * BTF_LIMIT_VALUE_NESTING + 2);
}

struct asked {
	char text[400];
	bool follows;
};

static bool describe(void *context, const struct btf_value_pointer *pointer,
		     struct btf_value_target *target)
{
	struct asked *asked = context;
	size_t n = strlen(asked->text);

	snprintf(asked->text + n, sizeof(asked->text) - n, "%s=%s@%llx ", pointer->member,
		 pointer->pointee_name, (unsigned long long)pointer->address);
	target->symbol = "runqueues+0x10";
	return asked->follows;
}

static const char *never(void *context UNUSED, uint64_t address UNUSED, void *to UNUSED,
			 size_t n UNUSED)
{
	return "changed while read";
}

static void the_memory_callback_names_pointers_and_refuses_steps(void **state UNUSED)
{
	struct asked asked = { .follows = false };
	struct btf_value_memory memory = { &asked, never, describe };
	struct btf_value_options options = { .memory = &memory };
	_cleanup_btf_value_ struct btf_value_tree *leave = NULL, *torn = NULL;
	uint8_t task[40] = { 'x' };
	_cleanup_sample_ struct sample s;

	sample_init(&s);
	put_bytes(task + 24, 0xabc, 8);
	leave = tree_of(s.btf, s.task, task, sizeof(task), &options);
	assert_string_equal(asked.text, "rq=rq@abc ");
	assert_text(leave, "task{comm=\"x\", rq=0xabc <runqueues+0x10>}");
	assert_null(btf_value_find(leave, btf_value_root(leave), "rq")->reason);
	asked.follows = true;
	torn = tree_of(s.btf, s.task, task, sizeof(task), &options);
	assert_text(torn, "task{comm=\"x\", rq=0xabc <runqueues+0x10> [chase: changed while "
			  "read]}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pointers_are_followed_as_far_as_the_caller_says),
		cmocka_unit_test(a_pointer_back_refers_to_the_struct_already_shown),
		cmocka_unit_test(shared_targets_are_shown_once),
		cmocka_unit_test(embedded_structs_are_known_by_their_address),
		cmocka_unit_test(an_unreadable_value_carries_its_reason),
		cmocka_unit_test(declarations_are_followed_to_their_body_or_say_so),
		cmocka_unit_test(large_targets_are_read_up_to_their_limit),
		cmocka_unit_test(a_budget_of_bytes_ends_the_following),
		cmocka_unit_test(long_chains_end_at_the_limit_of_nesting),
		cmocka_unit_test(the_memory_callback_names_pointers_and_refuses_steps),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
