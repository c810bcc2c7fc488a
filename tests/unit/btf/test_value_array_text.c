// SPDX-License-Identifier: GPL-2.0-or-later
#include "btf/value_printer.h"

#include "values.h"

static void assert_array(uint32_t n, const uint64_t *values, uint32_t columns, bool zeros,
			 const char *expected)
{
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT, text = STRBUF_INIT;
	_cleanup_btf_ struct btf *btf = NULL;
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL;
	struct btf_value_text_options options = { .columns = columns, .zeros = zeros };
	struct build_btf b = { 0 };
	uint32_t type = build_btf_array(&b, build_btf_int(&b, "unsigned long", 8, 0), n);

	build_btf_finish(&b, &bytes);
	assert_success(btf_parse(build_bytes(&bytes), "array", &btf));
	tree = tree_of(btf, type, values, n * sizeof(*values), NULL);
	btf_value_format(tree, btf_value_root(tree), &options, &text);
	assert_string_equal(strbuf_str(&text), expected);
}

static void dense_arrays_are_lists_that_wrap(void **state UNUSED)
{
	static const uint64_t values[] = { 16, 17, 18, 19, 20, 21, 22, 23 };

	assert_array(3, values, 120, false, "[0x10, 0x11, 0x12]");
	assert_array(8, values, 20, false,
		     "[0x10, 0x11, 0x12,\n"
		     "  0x13, 0x14, 0x15,\n"
		     "  0x16, 0x17]");
	assert_array(0, values, 120, false, "[]");
}

static void sparse_arrays_show_what_is_not_zero(void **state UNUSED)
{
	static const uint64_t values[20] = { [3] = 7, [5] = 1, [6] = 2, [7] = 3, [19] = 9 };
	static const uint64_t few[4] = { [3] = 7 };

	assert_array(20, values, 120, false, "[3]=0x7  [5..7]={0x1, 0x2, 0x3}  [19]=0x9");
	assert_array(20, values, 35, false,
		     "[3]=0x7  [5..7]={0x1, 0x2, 0x3}\n"
		     "  [19]=0x9");
	/* A short one is shown whole. */
	assert_array(4, few, 120, false, "[0x0, 0x0, 0x0, 0x7]");
	assert_array(4, values, 120, false, "[0x0, 0x0, 0x0, 0x7]");
}

static void zeros_are_counted(void **state UNUSED)
{
	static const uint64_t none[30];

	assert_array(30, none, 120, false, "[all 30 zero]");
	assert_array(3, none, 120, false, "[all 3 zero]");
	assert_array(3, none, 120, true, "[0x0, 0x0, 0x0]");
	assert_array(30, none, 120, true, "[all 30 zero]");
}

static void text_of_several_lines_is_a_block(void **state UNUSED)
{
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL, *quoted = NULL;
	_cleanup_sample_ struct sample s;
	uint8_t task[40] = "one\n  two\n";

	sample_init(&s);
	tree = tree_of(s.btf, s.task, task, sizeof(task), NULL);
	assert_text(tree, "task:\n"
			  "  comm=|\n"
			  "    one\n"
			  "      two");
	quoted = tree_of(s.btf, s.text16, "say \"hi\"\\\0\0\0\0\0\0\0", 16, NULL);
	assert_text(quoted, "\"say \\\"hi\\\"\\\\\"");
}

static void equal_structs_share_a_line(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	_cleanup_btf_ struct btf *btf = NULL;
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL, *few = NULL;
	struct build_btf b = { 0 };
	uint32_t u64 = build_btf_int(&b, "unsigned long", 8, 0), pair, array, two;
	const uint64_t values[] = { 1, 2, 1, 2, 1, 2, 0, 0, 1, 2, 5, 6 };

	pair = BUILD_STRUCT(&b, "pair", 16, { "x", u64, 0, 0 }, { "y", u64, 64, 0 });
	array = build_btf_array(&b, pair, 6);
	two = build_btf_array(&b, pair, 2);
	build_btf_finish(&b, &bytes);
	assert_success(btf_parse(build_bytes(&bytes), "pairs", &btf));
	tree = tree_of(btf, array, values, sizeof(values), NULL);
	assert_text(tree, "[\n"
			  "  [0-2]=pair{x=1, y=2}\n"
			  "  [4]=pair{x=1, y=2}\n"
			  "  [5]=pair{x=5, y=6}\n"
			  "]");
	few = tree_of(btf, two, values, 32, NULL);
	assert_text(few, "[pair{x=1, y=2}, pair{x=1, y=2}]");
}

static void arrays_in_structs_are_indented(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL;
	struct btf_value_text_options options = { .columns = 40 };
	_cleanup_sample_ struct sample s;
	uint8_t rq[96] = { 3, [24] = 7, [40] = 1, [48] = 2, [56] = 8 };

	sample_init(&s);
	tree = tree_of(s.btf, s.rq, rq, sizeof(rq), NULL);
	btf_value_format(tree, btf_value_root(tree), &options, &text);
	assert_string_equal(strbuf_str(&text), "rq:\n"
					       "  nr_running=3\n"
					       "  dsqs=[\n"
					       "    [0]=dsq:\n"
					       "      id=7\n"
					       "      list=list_head{next=0x1, prev=0x2}\n"
					       "    [1]=dsq{id=8}\n"
					       "  ]");
}

/* struct row { u64 a, b, c, d, e; } rows[n] with these numbers. */
static void assert_rows(const uint64_t (*rows)[5], uint32_t n, uint32_t columns,
			const char *expected)
{
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT, text = STRBUF_INIT;
	_cleanup_btf_ struct btf *btf = NULL;
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL;
	struct btf_value_text_options options = { .columns = columns };
	struct build_btf b = { 0 };
	uint32_t u64 = build_btf_int(&b, "unsigned long", 8, 0), row, array;

	row = BUILD_STRUCT(&b, "row", 40, { "a", u64, 0, 0 }, { "b", u64, 64, 0 },
			   { "c", u64, 128, 0 }, { "d", u64, 192, 0 }, { "e", u64, 256, 0 });
	array = build_btf_array(&b, row, n);
	build_btf_finish(&b, &bytes);
	assert_success(btf_parse(build_bytes(&bytes), "rows", &btf));
	tree = tree_of(btf, array, rows, n * sizeof(*rows), NULL);
	btf_value_format(tree, btf_value_root(tree), &options, &text);
	assert_string_equal(strbuf_str(&text), expected);
}

static void structs_that_differ_in_a_few_members_are_one(void **state UNUSED)
{
	static const uint64_t rows[][5] = { { 7, 1, 0, 4 }, { 7, 2, 0, 5 }, { 7, 3, 0, 0 },
					    { 7, 4, 0, 4 }, { 0 },	    { 7, 9, 0, 0 } };

	assert_rows(rows, 6, 120,
		    "[\n"
		    "  [0-3]=row{a=7, b=*, d=*}\n"
		    "    b: 1, 2, 3, 4\n"
		    "    d: 4, 5, 0, 4\n"
		    "  [5]=row{a=7, b=9}\n"
		    "]");
	assert_rows(rows, 5, 10,
		    "[\n"
		    "  [0-3]=row{a=7, b=*, d=*}\n"
		    "    b: 1,\n"
		    "      2,\n"
		    "      3,\n"
		    "      4\n"
		    "    d: 4,\n"
		    "      5,\n"
		    "      0,\n"
		    "      4\n"
		    "]");
}

static void many_differences_or_few_elements_stay_apart(void **state UNUSED)
{
	static const uint64_t four[][5] = { { 1, 1, 1, 1, 9 },
					    { 2, 2, 2, 2, 9 },
					    { 3, 3, 3, 3, 9 },
					    { 4, 4, 4, 4, 9 },
					    { 5, 4, 4, 4, 9 } };
	static const uint64_t two[][5] = { { 1 }, { 2 }, { 0 }, { 3 }, { 4 } };

	assert_rows(four, 5, 120,
		    "[\n"
		    "  [0]=row{a=1, b=1, c=1, d=1, e=9}\n"
		    "  [1]=row{a=2, b=2, c=2, d=2, e=9}\n"
		    "  [2]=row{a=3, b=3, c=3, d=3, e=9}\n"
		    "  [3]=row{a=4, b=4, c=4, d=4, e=9}\n"
		    "  [4]=row{a=5, b=4, c=4, d=4, e=9}\n"
		    "]");
	assert_rows(two, 5, 120,
		    "[\n"
		    "  [0]=row{a=1}\n"
		    "  [1]=row{a=2}\n"
		    "  [3]=row{a=3}\n"
		    "  [4]=row{a=4}\n"
		    "]");
}

static void equal_neighbours_come_before_templates(void **state UNUSED)
{
	static const uint64_t rows[][5] = { { 1 }, { 1 }, { 1 }, { 2 }, { 3 } };

	assert_rows(rows, 5, 120,
		    "[\n"
		    "  [0-1]=row{a=1}\n"
		    "  [2-4]=row{a=*}\n"
		    "    a: 1, 2, 3\n"
		    "]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dense_arrays_are_lists_that_wrap),
		cmocka_unit_test(sparse_arrays_show_what_is_not_zero),
		cmocka_unit_test(zeros_are_counted),
		cmocka_unit_test(text_of_several_lines_is_a_block),
		cmocka_unit_test(equal_structs_share_a_line),
		cmocka_unit_test(arrays_in_structs_are_indented),
		cmocka_unit_test(structs_that_differ_in_a_few_members_are_one),
		cmocka_unit_test(many_differences_or_few_elements_stay_apart),
		cmocka_unit_test(equal_neighbours_come_before_templates),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
