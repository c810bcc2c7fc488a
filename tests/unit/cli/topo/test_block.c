// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/topo/topo.h"

#include "unit.h"

static void assert_looks(const struct block *block, const char *expected)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

	block_format(block, &s);
	assert_string_equal(strbuf_str(&s), expected);
}

/* n blocks "aa", "bb", … */
static void flow_words(struct block *into, size_t n, size_t columns)
{
	struct block words[26] = { 0 };
	char word[3] = "";

	for (size_t i = 0; i < n; i++) {
		word[0] = word[1] = (char)('a' + i);
		block_add_line(&words[i], word);
	}
	block_flow(into, words, n, columns);
}

static void blocks_flow_into_rows_that_fit(void **state UNUSED)
{
	static const struct {
		size_t n, columns;
		const char *expected;
	} cases[] = {
		{ 0, 10, "" },
		{ 3, 8, "aa bb cc\n" },
		{ 3, 7, "aa bb\ncc\n" },
		{ 4, 8, "aa bb\ncc dd\n" },
		{ 3, 2, "aa\nbb\ncc\n" },
		{ 2, 0, "aa\nbb\n" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_block_ struct block block = { 0 };

		flow_words(&block, cases[i].n, cases[i].columns);
		assert_looks(&block, cases[i].expected);
	}
}

static void blocks_of_different_size_are_aligned_in_columns(void **state UNUSED)
{
	_cleanup_block_ struct block all = { 0 };
	struct block parts[3] = { 0 };

	block_add_line(&parts[0], "a");
	block_add_line(&parts[1], "bbb");
	block_add_line(&parts[1], "bbb");
	block_add_line(&parts[2], "c");
	block_flow(&all, parts, 3, 80);
	assert_looks(&all, "a   bbb c\n    bbb\n");
	assert_null(parts[0].lines.at);
}

static void boxes_are_drawn_around(void **state UNUSED)
{
	_cleanup_block_ struct block inner = { 0 }, ascii = { 0 }, light = { 0 }, twice = { 0 };

	block_add_line(&inner, "12345678");
	block_add_line(&inner, "×");
	block_box(&ascii, &inner, "node", BOX_DOUBLE, false);
	assert_looks(&ascii, "+ node ====+\n| 12345678 |\n| ×        |\n+==========+\n");
	block_box(&light, &inner, "t", BOX_LIGHT, true);
	assert_looks(&light, "┌ t ───────┐\n│ 12345678 │\n│ ×        │\n└──────────┘\n");
	block_box(&twice, &light, "·", BOX_DOUBLE, true);
	assert_int_equal(twice.width, 16);
	assert_int_equal(twice.lines.n, 6);
}

static void a_long_title_widens_its_box(void **state UNUSED)
{
	_cleanup_block_ struct block inner = { 0 }, box = { 0 };

	block_add_line(&inner, "x");
	block_box(&box, &inner, "title", BOX_LIGHT, false);
	assert_looks(&box, "+ title -+\n| x      |\n+--------+\n");
	assert_int_equal(box.width, 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_flow_into_rows_that_fit),
		cmocka_unit_test(blocks_of_different_size_are_aligned_in_columns),
		cmocka_unit_test(boxes_are_drawn_around),
		cmocka_unit_test(a_long_title_widens_its_box),
	};

	return cmocka_run_group_tests_name("cli/topo/block", tests, NULL, NULL);
}
