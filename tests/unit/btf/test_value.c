// SPDX-License-Identifier: GPL-2.0-or-later
#include "btf/value.h"

#include "btf/limits.h"
#include "values.h"

static void kinds_and_statuses_have_names(void **state UNUSED)
{
	for (int i = 0; i < BTF_VALUE_N_KINDS; i++)
		assert_true(strlen(btf_value_kind_name((enum btf_value_kind)i)) > 2);
	assert_string_equal(btf_value_kind_name(BTF_VALUE_CPU_LIST), "cpu_list");
}

static void a_tree_can_be_walked(void **state UNUSED)
{
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL;
	_cleanup_sample_ struct sample s;
	const struct btf_value_node *node;
	uint8_t list[16] = { 1, [8] = 2 };

	sample_init(&s);
	tree = tree_of(s.btf, s.list_head, list, sizeof(list), NULL);
	node = btf_value_root(tree);
	assert_int_equal(node->parent, 0);
	assert_null(btf_value_next(tree, node));
	node = btf_value_first(tree, node);
	assert_string_equal(node->name, "next");
	assert_int_equal(node->value, 1);
	assert_null(btf_value_first(tree, node));
	node = btf_value_next(tree, node);
	assert_string_equal(node->name, "prev");
	assert_null(btf_value_next(tree, node));
	btf_value_free(NULL);
}

static void a_block_larger_than_the_budget_is_cut(void **state UNUSED)
{
	const struct btf_value_options options = { .max_bytes = 8 };
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL;
	_cleanup_sample_ struct sample s;
	uint8_t list[16] = { 1, [8] = 2 };

	sample_init(&s);
	tree = tree_of(s.btf, s.list_head, list, sizeof(list), &options);
	assert_true(tree->is_cut);
	assert_int_equal(tree->bytes, 8);
	assert_text(tree, "<truncated needed=16 had=8> list_head{next=0x1 /* 1 of 2 shown */}");
}

static void a_value_of_all_zeros_is_marked_zero(void **state UNUSED)
{
	_cleanup_btf_value_ struct btf_value_tree *zero = NULL, *one = NULL, *cut = NULL;
	_cleanup_sample_ struct sample s;
	uint8_t rq[96] = { 0 };

	sample_init(&s);
	zero = tree_of(s.btf, s.rq, rq, sizeof(rq), NULL);
	assert_true(btf_value_root(zero)->zero);
	assert_text(zero, "rq{}");
	/* What is not there is not known to be 0. */
	cut = tree_of(s.btf, s.rq, rq, 8, NULL);
	assert_false(btf_value_root(cut)->zero);
	rq[60] = 1;
	one = tree_of(s.btf, s.rq, rq, sizeof(rq), NULL);
	assert_false(btf_value_root(one)->zero);
	assert_false(btf_value_find(one, btf_value_root(one), "dsqs")->zero);
	assert_true(btf_value_find(one, btf_value_root(one), "dsqs[0]")->zero);
}

static void options_cannot_raise_the_limits_of_a_tree(void **state UNUSED)
{
	const struct btf_value_options options = { .max_nodes = UINT32_MAX,
						   .max_bytes = UINT64_MAX,
						   .max_elements = UINT32_MAX };
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	_cleanup_btf_ struct btf *btf = NULL;
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL;
	uint8_t *data = calloc(1, BTF_LIMIT_VALUE_NODES + 1000);
	struct build_btf b = { 0 };
	uint32_t u8 = build_btf_int(&b, "unsigned char", 1, 0), many;

	many = build_btf_array(&b, u8, BTF_LIMIT_VALUE_NODES + 1000);
	build_btf_finish(&b, &bytes);
	assert_success(btf_parse(build_bytes(&bytes), "many", &btf));
	assert_non_null(data);
	data[5] = 1;
	tree = tree_of(btf, many, data, BTF_LIMIT_VALUE_NODES + 1000, &options);
	assert_int_equal(tree->n - 1, BTF_LIMIT_VALUE_NODES);
	assert_int_equal(btf_value_root(tree)->shown, BTF_LIMIT_VALUE_NODES - 1);
	assert_int_equal(btf_value_root(tree)->n, BTF_LIMIT_VALUE_NODES + 1000);
	free(data);
}

static void paths_find_nodes(void **state UNUSED)
{
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL, *cut = NULL;
	uint8_t rq[96] = { 3, [20] = 6, [24 + 32] = 7 };
	_cleanup_sample_ struct sample s;
	const struct btf_value_node *root;

	sample_init(&s);
	tree = tree_of(s.btf, s.rq, rq, sizeof(rq), NULL);
	root = btf_value_root(tree);
	assert_ptr_equal(btf_value_find(tree, root, ""), root);
	assert_int_equal(btf_value_find(tree, root, "nr_running")->value, 3);
	assert_int_equal(btf_value_find(tree, root, "half[1]")->value, 6);
	assert_int_equal(btf_value_find(tree, root, "dsqs[1].id")->value, 7);
	assert_null(btf_value_find(tree, root, "nr_runnin"));
	assert_null(btf_value_find(tree, root, "nr_running.x"));
	assert_null(btf_value_find(tree, root, "dsqs[2]"));
	assert_null(btf_value_find(tree, root, "dsqs[x]"));
	assert_null(btf_value_find(tree, root, "dsqs["));
	assert_null(btf_value_find(tree, root, "dsqs.id"));
	assert_null(btf_value_find(tree, root, "cpu[0]"));
	assert_null(btf_value_find(tree, root, "."));
	assert_null(btf_value_find(tree, root, "curr.pid"));
	/* Through what is cut. */
	cut = tree_of(s.btf, s.rq, rq, 60, NULL);
	assert_int_equal(btf_value_find(cut, btf_value_root(cut), "nr_running")->value, 3);
	assert_null(btf_value_find(cut, btf_value_root(cut), "curr"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_and_statuses_have_names),
		cmocka_unit_test(a_tree_can_be_walked),
		cmocka_unit_test(paths_find_nodes),
		cmocka_unit_test(a_block_larger_than_the_budget_is_cut),
		cmocka_unit_test(a_value_of_all_zeros_is_marked_zero),
		cmocka_unit_test(options_cannot_raise_the_limits_of_a_tree),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
