// SPDX-License-Identifier: GPL-2.0-or-later
#include "dump/expr.h"
#include "unit.h"

/* The tree in prefix form, as precedence tables of C have it. */
static void write_node(const struct dump_expr *e, uint8_t n, struct strbuf *out)
{
	static const char *const ops[] = { "#", "name", "bpf",	  "map",      ".", "[]", "*",
					   "&", "cast", "sizeof", "sizeof-t", "-", "+",	 "minus" };
	const struct dump_expr_node *node = &e->nodes[n];

	strbuf_appendf(out, "(%s", ops[node->op]);
	if (node->op == DUMP_EXPR_NUMBER)
		strbuf_appendf(out, " %llx", (unsigned long long)node->number);
	if (node->word)
		strbuf_appendf(out, " '%.*s'", (int)node->word_n, node->word);
	if (node->left)
		write_node(e, node->left, out);
	if (node->right)
		write_node(e, node->right, out);
	strbuf_append_char(out, ')');
}

static void assert_tree(const char *text, const char *expected)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	struct dump_expr e;

	assert_success(dump_expr_parse(text, &e));
	write_node(&e, e.root, &out);
	assert_string_equal(strbuf_str(&out), expected);
}

static void members_and_indexes_bind_to_the_left(void **state UNUSED)
{
	assert_tree("runqueues[0x2].scx->nr", "(. 'nr'(. 'scx'([](name 'runqueues')(# 2))))");
	assert_tree("jiffies", "(name 'jiffies')");
	assert_tree(" a [ b . c ] ", "([](name 'a')(. 'c'(name 'b')))");
}

static void a_cast_applies_to_all_that_follows(void **state UNUSED)
{
	assert_tree("(struct x *)a->b", "(cast 'struct x *'(. 'b'(name 'a')))");
	assert_tree("((struct x *)a)->b", "(. 'b'(cast 'struct x *'(name 'a')))");
	assert_tree("(enum e)3", "(cast 'enum e'(# 3))");
	assert_tree("(u64)a", "(cast 'u64'(name 'a'))");
	assert_tree("(u64)(a)", "(cast 'u64'(name 'a'))");
	assert_tree("(const char *)*a", "(cast 'const char *'(*(name 'a')))");
	assert_tree("(unsigned long)(int)a", "(cast 'unsigned long'(cast 'int'(name 'a')))");
	assert_tree("*(struct x *)a", "(*(cast 'struct x *'(name 'a')))");
	assert_tree("&((struct x *)0)->b[1]", "(&([](. 'b'(cast 'struct x *'(# 0)))(# 1)))");
}

static void parentheses_around_an_expression_are_not_a_cast(void **state UNUSED)
{
	assert_tree("(a).b", "(. 'b'(name 'a'))");
	assert_tree("(a)", "(name 'a')");
	assert_tree("(a)[1]", "([](name 'a')(# 1))");
	assert_tree("(*a).b", "(. 'b'(*(name 'a')))");
	assert_tree("(a) - 1", "(minus(name 'a')(# 1))");
	assert_tree("-(a + b)", "(-(+(name 'a')(name 'b')))");
}

static void sizes_of_types_and_of_values(void **state UNUSED)
{
	assert_tree("sizeof(struct x)", "(sizeof-t 'struct x')");
	assert_tree("sizeof(struct x *)", "(sizeof-t 'struct x *')");
	assert_tree("sizeof(a)", "(sizeof(name 'a'))");
	assert_tree("sizeof a.b", "(sizeof(. 'b'(name 'a')))");
	assert_tree("sizeof(a).b", "(sizeof(. 'b'(name 'a')))");
	assert_tree("sizeofa", "(name 'sizeofa')");
}

static void numbers_follow_c_syntax(void **state UNUSED)
{
	assert_tree("0xffff888000001000UL", "(# ffff888000001000)");
	assert_tree("010", "(# 8)");
	assert_tree("18446744073709551615", "(# ffffffffffffffff)");
}

static void bpf_and_map_prefixes_are_parsed(void **state UNUSED)
{
	assert_tree("bpf:x.y", "(. 'y'(bpf 'x'))");
	assert_tree("map:obj.bss.x[1].y", "(. 'y'([](map 'obj.bss.x')(# 1)))");
	assert_tree("map:.bss->x", "(. 'x'(map '.bss'))");
}

static void each_node_keeps_its_source_text(void **state UNUSED)
{
	struct dump_expr e;
	const struct dump_expr_node *left;

	assert_success(dump_expr_parse("*( a ).b + 1", &e));
	left = &e.nodes[e.nodes[e.root].left];
	assert_memory_equal(left->from, "*( a ).b", (size_t)(left->to - left->from));
	assert_int_equal(left->to - left->from, 8);
}

static void malformed_expressions_are_refused(void **state UNUSED)
{
	static const char *const bad[] = { "",
					   ".a",
					   "(struct rq",
					   "()x",
					   "( * )x",
					   "(a;b)x",
					   "a[",
					   "a[1",
					   "a b",
					   "a[1]b",
					   "12cats",
					   "0x",
					   "a->",
					   "a.1",
					   "a == b",
					   "a * b",
					   "&",
					   "sizeof",
					   "(struct rq)",
					   "map:",
					   "bpf:",
					   "bpf:.",
					   "a]",
					   "a)",
					   "a.\n",
					   "a[99999999999999999999]" };
	char large[8192];
	struct dump_expr e = { .n = 77 };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct error *err = dump_expr_parse(bad[i], &e);

		if (!err)
			fail_msg("accepted: %s", bad[i]);
		error_free(err);
	}
	memset(large, 'a', sizeof(large) - 1);
	large[sizeof(large) - 1] = 0;
	assert_error_tag(dump_expr_parse(large, &e), "limit");
	/* Deep, and wide. */
	memset(large, '(', 300);
	large[300] = 0;
	assert_error_tag(dump_expr_parse(large, &e), "limit");
	for (size_t i = 0; i < 200; i++)
		memcpy(large + 2 * i, "a+", 3);
	large[399] = 0;
	assert_error_tag(dump_expr_parse(large, &e), "limit");
	assert_int_equal(e.n, 77);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_and_indexes_bind_to_the_left),
		cmocka_unit_test(a_cast_applies_to_all_that_follows),
		cmocka_unit_test(parentheses_around_an_expression_are_not_a_cast),
		cmocka_unit_test(sizes_of_types_and_of_values),
		cmocka_unit_test(numbers_follow_c_syntax),
		cmocka_unit_test(bpf_and_map_prefixes_are_parsed),
		cmocka_unit_test(each_node_keeps_its_source_text),
		cmocka_unit_test(malformed_expressions_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
