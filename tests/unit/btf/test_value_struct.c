// SPDX-License-Identifier: GPL-2.0-or-later
#include "btf/value_builder.h"

#include "values.h"

static void members_of_nameless_structs_are_the_parents(void **state UNUSED)
{
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL;
	_cleanup_sample_ struct sample s;
	uint8_t rq[96] = { 3, [4] = 1, [8] = 9, [16] = 5, [20] = 6, [24] = 7, [32] = 2 };

	sample_init(&s);
	tree = tree_of(s.btf, s.rq, rq, sizeof(rq), NULL);
	assert_text(tree, "rq{nr_running=3, cpu=1, clock=9, raw=25769803781, half=[0x5, 0x6], "
			  "dsqs=[dsq{id=7, nr=2}, dsq{}]}");
	assert_int_equal(btf_value_root(tree)->n, 7);
	assert_int_equal(btf_value_root(tree)->shown, 7);
	assert_int_equal(tree->bytes, 96);
	assert_false(tree->is_cut);
}

static void a_struct_that_is_cut_shows_what_is_there(void **state UNUSED)
{
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL, *nothing = NULL;
	_cleanup_sample_ struct sample s;
	uint8_t rq[96] = { 3, [4] = 1, [8] = 9 };

	sample_init(&s);
	/* Inside the 64-bit clock. */
	tree = tree_of(s.btf, s.rq, rq, 12, NULL);
	assert_text(tree, "<truncated needed=96 had=12> rq{nr_running=3, cpu=1, "
			  "clock=<truncated needed=8 had=4> /* 3 of 7 shown */}");
	nothing = tree_of(s.btf, s.rq, rq, 0, NULL);
	assert_text(nothing, "<truncated needed=96 had=0>");
}

static void what_could_not_be_read_is_one_node_with_its_reason(void **state UNUSED)
{
	const struct btf_value_hole hole = { 24, 32, "unmapped" };
	uint8_t rq[96] = { 3, [64] = 4 };
	struct btf_value_block block = { { rq, sizeof(rq) }, &hole, 1, 0 };
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL;
	_cleanup_sample_ struct sample s;

	sample_init(&s);
	tree = btf_value_new(s.btf, s.rq, &block, NULL);
	assert_text(tree, "rq{nr_running=3, dsqs=[<unreadable: unmapped>, dsq{nr=4}]}");
}

static void unions_show_every_arm_and_repetition_is_marked(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	_cleanup_btf_ struct btf *btf = NULL;
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL, *named = NULL;
	_cleanup_sample_ struct sample s;
	struct build_btf b = { 0 };
	uint32_t number, arms, holder;

	number = build_btf_int(&b, "unsigned int", 4, 0);
	arms = BUILD_UNION(&b, "", 4, { "usage", number, 0, 0 }, { "refs", number, 0, 0 });
	holder = BUILD_STRUCT(&b, "holder", 8, { "", arms, 0, 0 }, { "other", number, 32, 0 });
	build_btf_finish(&b, &bytes);
	assert_success(btf_parse(build_bytes(&bytes), "arms", &btf));
	tree = tree_of(btf, holder, "\4\0\0\0\4\0\0\0", 8, NULL);
	/* `other` has the same value at another place. */
	assert_text(tree, "holder{usage=4, other=4}");
	assert_true(btf_value_find(tree, btf_value_root(tree), "refs")->repeats);
	sample_init(&s);
	named = tree_of(s.btf, s.either, "\1\2\0\0\0\0\0\0", 8, NULL);
	assert_text(named, "either{number=513, bytes=[0..1]={1, 2}}");
	assert_true(btf_value_root(named)->is_union);
}

static void sections_show_their_variables_one_by_one(void **state UNUSED)
{
	uint8_t bss[24] = { 7, [8] = 5, [16] = 'f', 'm', 't' };
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL, *cut = NULL;
	_cleanup_sample_ struct sample s;

	sample_init(&s);
	tree = tree_of(s.btf, s.section, bss, sizeof(bss), NULL);
	/* Formats of printk are left out. */
	assert_text(tree, ".bss{counter=7, tint=GREEN (5)}");
	assert_string_equal(btf_value_find(tree, btf_value_root(tree), "name___fmt")->text, "fmt");
	/* A section that is cut spoils one variable only. */
	cut = tree_of(s.btf, s.section, bss, 10, NULL);
	assert_text(cut, ".bss{counter=7, tint=<truncated needed=4 had=2> /* 2 of 3 shown */}");
}

static void bytes_between_members_are_nobodys_value(void **state UNUSED)
{
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL;
	_cleanup_sample_ struct sample s;
	uint8_t dsq[32] = { [12] = 0xaa, 0xbb };

	sample_init(&s);
	tree = tree_of(s.btf, s.dsq, dsq, sizeof(dsq), NULL);
	assert_int_equal(btf_value_root(tree)->n, 3);
	assert_true(btf_value_root(tree)->zero);
}

static void types_without_values_say_why(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	_cleanup_btf_ struct btf *btf = NULL;
	_cleanup_btf_value_ struct btf_value_tree *forward = NULL, *function = NULL,
						  *crooked = NULL, *endless = NULL, *mirror = NULL,
						  *wide = NULL;
	uint8_t data[64] = { 1 };
	struct build_btf b = { 0 };
	uint32_t func, fwd, number, odd, ring, self, broad;

	fwd = build_btf_type(&b, "sdt_data", BTF_FWD, 0, 0);
	func = build_btf_func(&b, "f", 0, (const char *const[]){ NULL });
	number = build_btf_int(&b, "int", 4, 1);
	odd = BUILD_STRUCT(&b, "crooked", 8, { "x", number, 3, 0 }, { "y", number, 32, 0 });
	ring = build_btf_type(&b, "ring", BTF_TYPEDEF, 0, b.n + 1);
	self = b.n + 1;
	BUILD_STRUCT(&b, "mirror", 4, { "self", self, 0, 0 }, { "", self, 0, 0 },
		     { "", self, 0, 0 });
	broad = BUILD_STRUCT(&b, "broad", 16, { "x", number, 0, 99 });
	build_btf_finish(&b, &bytes);
	assert_success(btf_parse(build_bytes(&bytes), "odd", &btf));
	forward = tree_of(btf, fwd, data, 8, NULL);
	assert_text(forward, "<unsupported: struct sdt_data is a forward declaration, no body>");
	function = tree_of(btf, func, data, 8, NULL);
	assert_text(function, "<unsupported: f is a function>");
	crooked = tree_of(btf, odd, data, 8, NULL);
	assert_text(crooked,
		    "crooked{x=<unsupported: begins inside a byte and is not a bit field>}");
	endless = tree_of(btf, ring, data, 8, NULL);
	assert_int_equal(btf_value_root(endless)->kind, BTF_VALUE_UNSUPPORTED);
	/* Ends, by nesting and by budget, though each level has two more. */
	mirror = tree_of(btf, self, data, 4, NULL);
	assert_true(mirror->is_cut);
	wide = tree_of(btf, broad, data, 16, NULL);
	assert_text(wide, "broad{x=<unsupported: a bit field that is not a number>}");
}

static void a_budget_of_nodes_says_what_was_left_out(void **state UNUSED)
{
	const struct btf_value_options options = { .max_nodes = 4 };
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL;
	_cleanup_sample_ struct sample s;
	uint8_t rq[96] = { 3, [4] = 1, [8] = 9, [16] = 5 };

	sample_init(&s);
	tree = tree_of(s.btf, s.rq, rq, sizeof(rq), &options);
	assert_text(tree, "rq{nr_running=3, cpu=1, clock=9 /* 3 of 7 shown */}");
	assert_true(tree->is_cut);
	assert_int_equal(tree->n - 1, 4);
}

struct arrays {
	struct strbuf bytes;
	struct btf *btf;
	uint32_t u64, words, chars, marker, flex, inner;
};

/*
 * struct marked { u64 a; u8 here[0]; u64 b; };
 * struct flex { u32 n; u32 pad; u64 words[]; };
 * struct outer { u64 x; struct flex inner; };
 */
static void arrays_init(struct arrays *a)
{
	struct build_btf b = { 0 };
	uint32_t u8 = build_btf_int(&b, "unsigned char", 1, 0), u32, none, open;

	*a = (struct arrays){ 0 };
	u32 = build_btf_int(&b, "unsigned int", 4, 0);
	a->u64 = build_btf_int(&b, "unsigned long", 8, 0);
	a->words = build_btf_array(&b, a->u64, 40);
	a->chars = build_btf_array(&b, u8, 16);
	none = build_btf_array(&b, u8, 0);
	open = build_btf_array(&b, a->u64, 0);
	a->marker = BUILD_STRUCT(&b, "marked", 16, { "a", a->u64, 0, 0 }, { "here", none, 64, 0 },
				 { "b", a->u64, 64, 0 });
	a->flex = BUILD_STRUCT(&b, "flex", 8, { "n", u32, 0, 0 }, { "pad", u32, 32, 0 },
			       { "words", open, 64, 0 });
	a->inner = BUILD_STRUCT(&b, "outer", 16, { "x", a->u64, 0, 0 },
				{ "inner", a->flex, 64, 0 });
	build_btf_finish(&b, &a->bytes);
	assert_success(btf_parse(build_bytes(&a->bytes), "arrays", &a->btf));
}

static void arrays_deinit(struct arrays *a)
{
	btf_free(a->btf);
	strbuf_deinit(&a->bytes);
}

#define _cleanup_arrays_ __attribute__((cleanup(arrays_deinit)))

static void bytes_that_read_like_text_are_text(void **state UNUSED)
{
	static const struct {
		const char bytes[17];
		const char *text; /* NULL: an array of numbers */
	} rows[] = {
		{ "bash", "bash" },
		{ "two\nlines", "two\nlines" },
		{ "0123456789abcdef", "0123456789abcdef" },
		{ "a\0b", "a" },
		{ "\0bash", NULL },
		{ "ba\x01sh", NULL },
		{ "bash\0\xff", NULL },
		{ "na\xc3\xafve", NULL },
	};
	_cleanup_arrays_ struct arrays a;

	arrays_init(&a);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_btf_value_ struct btf_value_tree *tree = tree_of(a.btf, a.chars,
									  rows[i].bytes, 16, NULL);

		assert_int_equal(btf_value_root(tree)->n, 16);
		if (rows[i].text)
			assert_string_equal(btf_value_root(tree)->text, rows[i].text);
		else
			assert_null(btf_value_root(tree)->text);
		assert_int_equal(tree->n, rows[i].text ? 2 : 18);
	}
}

static void long_arrays_of_zeros_are_not_opened(void **state UNUSED)
{
	uint64_t words[40] = { 0 };
	_cleanup_btf_value_ struct btf_value_tree *zeros = NULL, *ones = NULL;
	_cleanup_arrays_ struct arrays a;

	arrays_init(&a);
	zeros = tree_of(a.btf, a.words, words, sizeof(words), NULL);
	assert_int_equal(zeros->n, 2);
	assert_true(btf_value_root(zeros)->all_zero);
	assert_text(zeros, "[all 40 zero]");
	/* An element of it is 0 all the same, and there are only 40. */
	assert_true(btf_value_find(zeros, btf_value_root(zeros), "[39]")->all_zero);
	assert_null(btf_value_find(zeros, btf_value_root(zeros), "[40]"));
	words[39] = 1;
	ones = tree_of(a.btf, a.words, words, sizeof(words), NULL);
	assert_int_equal(ones->n, 42);
}

static void elements_have_a_limit_and_say_so(void **state UNUSED)
{
	const struct btf_value_options options = { .max_elements = 3 };
	uint64_t words[40] = { 1, 2, 3, 4 };
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL, *cut = NULL;
	_cleanup_arrays_ struct arrays a;

	arrays_init(&a);
	tree = tree_of(a.btf, a.words, words, sizeof(words), &options);
	assert_text(tree, "[0x1, 0x2, 0x3 /* 3 of 40 shown */]");
	assert_true(tree->is_cut);
	/* The block ends inside the third. */
	cut = tree_of(a.btf, a.words, words, 20, NULL);
	assert_text(cut, "<truncated needed=320 had=20> "
			 "[0x1, 0x2, <truncated needed=8 had=4> /* 3 of 40 shown */]");
}

static void arrays_without_length_inside_a_struct_are_marks(void **state UNUSED)
{
	uint64_t words[2] = { 1, 2 };
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL;
	_cleanup_arrays_ struct arrays a;

	arrays_init(&a);
	tree = tree_of(a.btf, a.marker, words, sizeof(words), NULL);
	assert_text(tree, "marked{a=1, b=2}");
}

static void flexible_arrays_say_that_their_length_is_unknown(void **state UNUSED)
{
	uint64_t words[4] = { 3, 10, 11, 12 };
	_cleanup_btf_value_ struct btf_value_tree *unknown = NULL, *none = NULL, *inner = NULL;
	_cleanup_arrays_ struct arrays a;

	arrays_init(&a);
	unknown = tree_of(a.btf, a.flex, words, sizeof(words), NULL);
	assert_text(unknown, "flex{n=3, words=<unsupported: a flexible array of unknown length, 24 "
			     "bytes are there>}");
	none = tree_of(a.btf, a.flex, words, 8, NULL);
	assert_text(none, "flex{n=3}");
	/* At the end of a struct that is the end of another. */
	inner = tree_of(a.btf, a.inner, words, sizeof(words), NULL);
	assert_text(inner, "outer{x=3, inner=flex{n=10, words=<unsupported: a flexible array of "
			   "unknown length, 16 bytes are there>}}");
}

static void flexible_arrays_of_nothing_hold_nothing(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	_cleanup_btf_ struct btf *btf = NULL;
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL;
	struct build_btf b = { 0 };
	uint64_t words[2] = { 3, 10 };
	uint32_t u64 = build_btf_int(&b, "unsigned long", 8, 0), empty, open, flex;

	empty = build_btf_struct(&b, 4, "empty", 0, NULL, 0);
	open = build_btf_array(&b, empty, 0);
	flex = BUILD_STRUCT(&b, "flex", 8, { "n", u64, 0, 0 }, { "none", open, 64, 0 });
	build_btf_finish(&b, &bytes);
	assert_success(btf_parse(build_bytes(&bytes), "empty", &btf));
	tree = tree_of(btf, flex, words, sizeof(words), NULL);
	assert_text(tree, "flex{n=3}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_of_nameless_structs_are_the_parents),
		cmocka_unit_test(a_struct_that_is_cut_shows_what_is_there),
		cmocka_unit_test(what_could_not_be_read_is_one_node_with_its_reason),
		cmocka_unit_test(unions_show_every_arm_and_repetition_is_marked),
		cmocka_unit_test(sections_show_their_variables_one_by_one),
		cmocka_unit_test(bytes_between_members_are_nobodys_value),
		cmocka_unit_test(types_without_values_say_why),
		cmocka_unit_test(a_budget_of_nodes_says_what_was_left_out),
		cmocka_unit_test(bytes_that_read_like_text_are_text),
		cmocka_unit_test(long_arrays_of_zeros_are_not_opened),
		cmocka_unit_test(elements_have_a_limit_and_say_so),
		cmocka_unit_test(arrays_without_length_inside_a_struct_are_marks),
		cmocka_unit_test(flexible_arrays_say_that_their_length_is_unknown),
		cmocka_unit_test(flexible_arrays_of_nothing_hold_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
