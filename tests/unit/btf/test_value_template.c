// SPDX-License-Identifier: GPL-2.0-or-later
#include "btf/value_printer.h"

#include "values.h"

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
		cmocka_unit_test(structs_that_differ_in_a_few_members_are_one),
		cmocka_unit_test(many_differences_or_few_elements_stay_apart),
		cmocka_unit_test(equal_neighbours_come_before_templates),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
