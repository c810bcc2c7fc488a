// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/member_search.h"

#include "fixture.h"
#include "unit.h"

/* The quick ways must find it without a walk, whatever the compiler left as a hint. */
static void the_quick_ways_answer_for_every_compiler(void **state UNUSED)
{
	static const char *const variants[] = {
		"gcc-dwarf2",	  "gcc-dwarf3",	      "gcc-dwarf4",    "gcc-dwarf5",
		"clang-dwarf2",	  "clang-dwarf3",     "clang-dwarf4",  "clang-dwarf5",
		"gcc-no-aranges", "gcc-zlib",	      "gcc-zdebug",    "clang-zstd",
		"gcc-types4",	  "gcc-types5",	      "gcc-pubtypes",  "clang-names",
		"gcc-dwarf64",	  "gcc-gnu-pubtypes", "gcc-anonymous", "clang-class",
		"gcc-static",
	};

	for (size_t i = 0; i < ARRAY_SIZE(variants); i++) {
		_cleanup_elf_image_ struct elf_image *img = NULL;
		_cleanup_elf_member_search_ struct elf_member_search search = { 0 };
		uint64_t expected[2], offsets[2] = { 0 };
		bool conclusive = false;

		if (!fixture_exists(variants[i])) {
			print_message("no tool to make %s\n", variants[i]);
			continue;
		}
		fixture_expected(variants[i], expected);
		img = fixture_open(variants[i], "prog");
		assert_success(elf_member_search_init(&search, &tsd_query));
		assert_success(elf_image_search_quick(&search, img, &conclusive));
		assert_true(conclusive && search.found);
		assert_success(elf_member_search_result(&search, variants[i], offsets));
		assert_memory_equal(offsets, expected, sizeof(offsets));
	}
}

static void the_walk_gives_the_same_answer(void **state UNUSED)
{
	static const char *const variants[] = { "gcc-dwarf2", "gcc-dwarf5", "clang-dwarf5",
						"gcc-types4" };

	for (size_t i = 0; i < ARRAY_SIZE(variants); i++) {
		_cleanup_elf_image_ struct elf_image *img = NULL;
		_cleanup_elf_member_search_ struct elf_member_search search = { 0 };
		uint64_t expected[2], offsets[2];

		if (!fixture_exists(variants[i]))
			continue;
		fixture_expected(variants[i], expected);
		img = fixture_open(variants[i], "prog");
		assert_success(elf_member_search_init(&search, &tsd_query));
		assert_success(elf_image_search_walk(&search, img));
		assert_success(elf_member_search_result(&search, variants[i], offsets));
		assert_memory_equal(offsets, expected, sizeof(offsets));
	}
}

/* The anchor's unit is searched alone: nothing else is even looked at. */
static void an_anchor_makes_one_unit_enough(void **state UNUSED)
{
	_cleanup_elf_image_ struct elf_image *img = fixture_open("gcc-dwarf5", "prog");
	_cleanup_elf_member_search_ struct elf_member_search search = { 0 };
	bool conclusive = false;

	assert_success(elf_member_search_init(&search, &tsd_query));
	assert_success(elf_image_search_quick(&search, img, &conclusive));
	assert_int_equal(search.n_units, 1);
}

/* .debug_pubtypes and .debug_names are not read; the name alone leads to the same unit. */
static void a_compilers_index_of_types_is_not_needed(void **state UNUSED)
{
	static const char *const variants[] = { "gcc-pubtypes", "gcc-gnu-pubtypes", "clang-names" };
	struct elf_member_query query = tsd_query;

	query.anchor_symbol = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(variants); i++) {
		_cleanup_elf_image_ struct elf_image *img = NULL;
		_cleanup_elf_member_search_ struct elf_member_search search = { 0 };
		bool conclusive = false;

		if (!fixture_exists(variants[i]))
			continue;
		img = fixture_open(variants[i], "prog");
		assert_success(elf_member_search_init(&search, &query));
		assert_success(elf_image_search_quick(&search, img, &conclusive));
		assert_true(conclusive && search.found);
		assert_in_range(search.n_units, 1, 2);
	}
}

static void without_an_anchor_only_units_with_the_name_are_read(void **state UNUSED)
{
	_cleanup_elf_image_ struct elf_image *img = fixture_open("gcc-static", "prog");
	_cleanup_elf_member_search_ struct elf_member_search search = { 0 };
	struct elf_member_query query = tsd_query;
	bool conclusive = false;

	query.anchor_symbol = NULL;
	assert_success(elf_member_search_init(&search, &query));
	assert_success(elf_image_search_quick(&search, img, &conclusive));
	assert_true(conclusive && search.found);
	assert_in_range(search.n_units, 1, 2);
}

static void a_name_that_stands_nowhere_needs_no_walk(void **state UNUSED)
{
	static const char *const members[] = { "never_mentioned_anywhere" };
	const struct elf_member_query query = { .type_name = "x",
						.members = members,
						.n_members = 1 };
	_cleanup_elf_image_ struct elf_image *img = fixture_open("gcc-dwarf5", "prog");
	_cleanup_elf_member_search_ struct elf_member_search search = { 0 };
	bool conclusive = false;

	assert_success(elf_member_search_init(&search, &query));
	assert_success(elf_image_search_quick(&search, img, &conclusive));
	assert_true(conclusive);
	assert_false(search.found);
	assert_int_equal(search.n_units, 0);
}

static void a_cancelled_search_stops_at_the_first_unit(void **state UNUSED)
{
	struct cancel cancel = { 0 };
	struct elf_member_query query = tsd_query;
	_cleanup_elf_image_ struct elf_image *img = fixture_open("gcc-dwarf5", "prog");
	_cleanup_elf_member_search_ struct elf_member_search search = { 0 };
	bool conclusive;

	query.cancel = &cancel;
	cancel_request(&cancel);
	assert_success(elf_member_search_init(&search, &query));
	assert_error_tag(elf_image_search_quick(&search, img, &conclusive), "cancelled");
	assert_error_tag(elf_image_search_walk(&search, img), "cancelled");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_quick_ways_answer_for_every_compiler),
		cmocka_unit_test(the_walk_gives_the_same_answer),
		cmocka_unit_test(an_anchor_makes_one_unit_enough),
		cmocka_unit_test(a_compilers_index_of_types_is_not_needed),
		cmocka_unit_test(without_an_anchor_only_units_with_the_name_are_read),
		cmocka_unit_test(a_name_that_stands_nowhere_needs_no_walk),
		cmocka_unit_test(a_cancelled_search_stops_at_the_first_unit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
