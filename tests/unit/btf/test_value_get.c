// SPDX-License-Identifier: GPL-2.0-or-later
#include "btf/value.h"

#include "values.h"

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

static void numbers_are_given_where_they_fit(void **state UNUSED)
{
	const struct btf_value_node minus = {
		.kind = BTF_VALUE_INT, .bits = 32, .value = UINT64_MAX, .is_signed = true
	};
	const struct btf_value_node large = { .kind = BTF_VALUE_UINT,
					      .bits = 64,
					      .value = UINT64_MAX };
	const struct btf_value_node wide = { .kind = BTF_VALUE_UINT, .bits = 128, .high = 1 };
	const struct btf_value_node wide_minus = { .kind = BTF_VALUE_INT,
						   .bits = 128,
						   .high = UINT64_MAX,
						   .value = UINT64_MAX - 4,
						   .is_signed = true };
	const struct btf_value_node real = { .kind = BTF_VALUE_FLOAT, .bits = 64, .real = 0.5 };
	const struct btf_value_node gone = { .kind = BTF_VALUE_UNREADABLE, .reason = "unmapped" };
	uint64_t u = 77;
	int64_t i = 77;
	double d = 77;

	assert_false(btf_value_get_u64(&minus, &u));
	assert_true(btf_value_get_i64(&minus, &i));
	assert_int_equal(i, -1);
	assert_true(btf_value_get_u64(&large, &u));
	assert_true(u == UINT64_MAX);
	i = 77;
	assert_false(btf_value_get_i64(&large, &i));
	assert_true(btf_value_get_double(&large, &d));
	assert_true(d == 18446744073709551616.0);
	assert_false(btf_value_get_u64(&wide, &u));
	assert_true(btf_value_get_i64(&wide_minus, &i));
	assert_int_equal(i, -5);
	assert_false(btf_value_get_u64(&wide_minus, &u));
	assert_false(btf_value_get_u64(&real, &u));
	assert_true(btf_value_get_double(&real, &d));
	assert_true(d == 0.5);
	assert_true(btf_value_get_double(&minus, &d));
	assert_true(d == -1);
	/* What is absent has no number. */
	i = 77;
	assert_false(btf_value_get_u64(NULL, &u));
	assert_false(btf_value_get_i64(&gone, &i));
	assert_false(btf_value_get_double(NULL, &d));
	assert_int_equal(i, 77);
}

static void texts_are_given_where_there_are_some(void **state UNUSED)
{
	const struct btf_value_node bytes = { .kind = BTF_VALUE_BYTES, .text = "00 01" };
	const struct btf_value_node name = { .kind = BTF_VALUE_ENUM, .text = "RED" };

	assert_string_equal(btf_value_get_text(&name), "RED");
	assert_null(btf_value_get_text(&bytes));
	assert_null(btf_value_get_text(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_find_nodes),
		cmocka_unit_test(numbers_are_given_where_they_fit),
		cmocka_unit_test(texts_are_given_where_there_are_some),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
