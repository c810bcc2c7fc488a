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
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
