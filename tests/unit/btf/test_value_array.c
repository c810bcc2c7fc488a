// SPDX-License-Identifier: GPL-2.0-or-later
#include "btf/value_builder.h"

#include "values.h"

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
		cmocka_unit_test(bytes_that_read_like_text_are_text),
		cmocka_unit_test(long_arrays_of_zeros_are_not_opened),
		cmocka_unit_test(elements_have_a_limit_and_say_so),
		cmocka_unit_test(arrays_without_length_inside_a_struct_are_marks),
		cmocka_unit_test(flexible_arrays_say_that_their_length_is_unknown),
		cmocka_unit_test(flexible_arrays_of_nothing_hold_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
