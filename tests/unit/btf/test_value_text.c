// SPDX-License-Identifier: GPL-2.0-or-later
#include "btf/value.h"

#include "values.h"

static void assert_format(const struct btf_value_tree *tree, struct btf_value_text_options options,
			  const char *expected)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	btf_value_format(tree, btf_value_root(tree), &options, &text);
	assert_string_equal(strbuf_str(&text), expected);
}

struct many {
	struct strbuf bytes;
	struct btf *btf;
	uint32_t type;
};

/* Numbers with these names; a name that begins with '*' is a list head. */
static void many_init(struct many *m, const char *const *names)
{
	struct build_member members[20];
	struct build_btf b = { 0 };
	uint32_t u64 = build_btf_int(&b, "unsigned long", 8, 0), pointer, list, n = 0, at = 0;

	pointer = build_btf_type(&b, "", BTF_PTR, 0, 0);
	list = BUILD_STRUCT(&b, "list_head", 16, { "next", pointer, 0, 0 },
			    { "prev", pointer, 64, 0 });
	for (; names[n]; n++) {
		bool is_list = names[n][0] == '*';

		members[n] = (struct build_member){ names[n] + is_list, is_list ? list : u64, at,
						    0 };
		at += is_list ? 128 : 64;
	}
	*m = (struct many){ 0 };
	m->type = build_btf_struct(&b, 4, "many", at / 8, members, n);
	build_btf_finish(&b, &m->bytes);
	assert_success(btf_parse(build_bytes(&m->bytes), "many", &m->btf));
}

static void many_deinit(struct many *m)
{
	btf_free(m->btf);
	strbuf_deinit(&m->bytes);
}

#define _cleanup_many_ __attribute__((cleanup(many_deinit)))

static struct btf_value_tree *many_tree(const struct many *m)
{
	uint64_t words[40];

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		words[i] = i + 1;
	return tree_of(m->btf, m->type, words, sizeof(words), NULL);
}

static void short_structs_are_printed_on_one_line(void **state UNUSED)
{
	static const char *const names[] = { "a", "bb", "ccc", NULL };
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL;
	_cleanup_many_ struct many m;

	many_init(&m, names);
	tree = many_tree(&m);
	assert_format(tree, (struct btf_value_text_options){ 0 }, "many{a=1, bb=2, ccc=3}");
	/* Exactly as wide as there is room, and one less. */
	assert_format(tree, (struct btf_value_text_options){ .columns = 22 },
		      "many{a=1, bb=2, ccc=3}");
	assert_format(tree, (struct btf_value_text_options){ .columns = 21 },
		      "many:\n"
		      "  a=1   bb=2   ccc=3");
	/* Where three do not fit there are fewer. */
	assert_format(tree, (struct btf_value_text_options){ .columns = 15 },
		      "many:\n"
		      "  a=1   bb=2\n"
		      "  ccc=3");
}

static void long_structs_have_three_numbers_to_a_row(void **state UNUSED)
{
	static const char *const even[] = { "aa", "bb", "cc", "dd", "*list", "ee", "ff", NULL };
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL;
	_cleanup_many_ struct many m;

	many_init(&m, even);
	tree = many_tree(&m);
	assert_format(tree, (struct btf_value_text_options){ .columns = 50 },
		      "many:\n"
		      "  aa=1   bb=2   cc=3\n"
		      "  dd=4\n"
		      "  list=list_head{next=0x5, prev=0x6}\n"
		      "  ee=7   ff=8");
}

static void names_of_different_length_line_up_in_three_rows(void **state UNUSED)
{
	static const char *const names[] = { "a", "long_name", "c", "longest_name",
					     "e", "medium",    "g", NULL };
	static const char *const two_rows[] = { "a", "long_name", "c", "longest_name", "e", NULL };
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL, *small = NULL;
	_cleanup_many_ struct many m, few;

	many_init(&m, names);
	tree = many_tree(&m);
	assert_format(tree, (struct btf_value_text_options){ .columns = 60 },
		      "many:\n"
		      "  a           =1   long_name=2   c     =3\n"
		      "  longest_name=4   e        =5   medium=6\n"
		      "  g           =7");
	many_init(&few, two_rows);
	small = many_tree(&few);
	assert_format(small, (struct btf_value_text_options){ .columns = 40 },
		      "many:\n"
		      "  a=1   long_name=2   c=3\n"
		      "  longest_name=4   e=5");
}

static void zeros_are_left_out_unless_asked_for(void **state UNUSED)
{
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL;
	_cleanup_sample_ struct sample s;
	uint8_t dsq[32] = { [8] = 7 };

	sample_init(&s);
	tree = tree_of(s.btf, s.dsq, dsq, sizeof(dsq), NULL);
	assert_text(tree, "dsq{nr=7}");
	assert_format(tree, (struct btf_value_text_options){ .zeros = true },
		      "dsq{id=0, nr=7, list=list_head{next=0x0, prev=0x0}}");
	assert_format(tree, (struct btf_value_text_options){ .count_zeros = true },
		      "dsq{nr=7, (2 zero)}");
	assert_format(tree, (struct btf_value_text_options){ .count_zeros = true, .columns = 8 },
		      "dsq:\n  nr=7\n  (2 zero members)");
	btf_value_free(tree);
	dsq[8] = 0;
	tree = tree_of(s.btf, s.dsq, dsq, sizeof(dsq), NULL);
	assert_format(tree, (struct btf_value_text_options){ .count_zeros = true },
		      "dsq{all 3 zero}");
}

static void nested_structs_have_lines_of_their_own(void **state UNUSED)
{
	static const char *const names[] = { "*a", "b", "*c", NULL };
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL;
	_cleanup_many_ struct many m;

	many_init(&m, names);
	tree = many_tree(&m);
	/* Numbers that stand together wait for each other, structs do not. */
	assert_format(tree, (struct btf_value_text_options){ .columns = 50 },
		      "many:\n"
		      "  a=list_head{next=0x1, prev=0x2}\n"
		      "  b=3\n"
		      "  c=list_head{next=0x4, prev=0x5}");
}

static void format_appends_after_existing_text(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL;
	_cleanup_many_ struct many m;

	many_init(&m, (const char *const[]){ "a", NULL });
	tree = many_tree(&m);
	strbuf_append(&text, "two\nlines\n");
	btf_value_format(tree, btf_value_root(tree), NULL, &text);
	assert_string_equal(strbuf_str(&text), "two\nlines\nmany{a=1}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_structs_are_printed_on_one_line),
		cmocka_unit_test(long_structs_have_three_numbers_to_a_row),
		cmocka_unit_test(names_of_different_length_line_up_in_three_rows),
		cmocka_unit_test(zeros_are_left_out_unless_asked_for),
		cmocka_unit_test(nested_structs_have_lines_of_their_own),
		cmocka_unit_test(format_appends_after_existing_text),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
