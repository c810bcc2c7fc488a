// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/member_search.h"

#include "fixture.h"
#include "unit.h"

static const char *const packaged[] = { "gcc-dwp4", "gcc-dwp5", "clang-dwp4", "clang-dwp5" };

static void skeletons_name_their_files(void **state UNUSED)
{
	static const char *const variants[] = { "gcc-dwo4", "gcc-dwo5", "clang-dwo4",
						"clang-dwo5" };

	for (size_t i = 0; i < ARRAY_SIZE(variants); i++) {
		_cleanup_elf_image_ struct elf_image *img = NULL;
		_cleanup_elf_skeletons_ struct elf_skeletons skeletons = { 0 };

		if (!fixture_exists(variants[i]))
			continue;
		img = fixture_open(variants[i], "prog");
		assert_success(elf_skeletons_read(img, NULL, &skeletons));
		assert_int_equal(skeletons.n, 2);
		assert_true(skeletons.at[0].id < skeletons.at[1].id);
		for (size_t s = 0; s < 2; s++) {
			assert_contains(skeletons.at[s].dwo_name, ".dwo");
			assert_contains(skeletons.at[s].comp_dir, variants[i]);
		}
	}
}

static void ordinary_units_are_no_skeletons(void **state UNUSED)
{
	_cleanup_elf_image_ struct elf_image *img = fixture_open("gcc-dwarf5", "prog");
	_cleanup_elf_skeletons_ struct elf_skeletons skeletons = { 0 };

	assert_success(elf_skeletons_read(img, NULL, &skeletons));
	assert_int_equal(skeletons.n, 0);
}

static void listing_skeletons_can_be_cancelled(void **state UNUSED)
{
	_cleanup_elf_image_ struct elf_image *img = fixture_open("gcc-dwarf5", "prog");
	_cleanup_elf_skeletons_ struct elf_skeletons skeletons = { 0 };
	struct cancel cancel = { .requested = true };

	assert_error_tag(elf_skeletons_read(img, &cancel, &skeletons), "cancelled");
}

static bool found_in_package(const char *variant, const struct elf_skeletons *skeletons,
			     uint64_t offsets[2])
{
	_cleanup_elf_image_ struct elf_image *package = fixture_open(variant, "prog.dwp");
	_cleanup_elf_member_search_ struct elf_member_search search = { 0 };

	assert_success(elf_member_search_init(&search, &tsd_query));
	assert_success(elf_split_dwarf_search(&search, package, skeletons));
	if (search.found)
		assert_success(elf_member_search_result(&search, variant, offsets));
	return search.found;
}

static void packages_of_both_makers_and_versions_answer(void **state UNUSED)
{
	for (size_t i = 0; i < ARRAY_SIZE(packaged); i++) {
		_cleanup_elf_image_ struct elf_image *img = NULL;
		_cleanup_elf_skeletons_ struct elf_skeletons skeletons = { 0 };
		uint64_t expected[2], offsets[2];

		if (!fixture_exists(packaged[i])) {
			print_message("no tool to make %s\n", packaged[i]);
			continue;
		}
		fixture_expected(packaged[i], expected);
		img = fixture_open(packaged[i], "prog");
		assert_success(elf_skeletons_read(img, NULL, &skeletons));
		assert_true(found_in_package(packaged[i], &skeletons, offsets));
		assert_memory_equal(offsets, expected, sizeof(offsets));
	}
}

/* A package of another program must not answer for this one. */
static void units_without_a_skeleton_do_not_count(void **state UNUSED)
{
	struct elf_skeleton stranger = { .id = 12345 };
	struct elf_skeletons skeletons = { .at = &stranger, .n = 1 };
	uint64_t offsets[2];

	for (size_t i = 0; i < ARRAY_SIZE(packaged); i++) {
		if (fixture_exists(packaged[i]))
			assert_false(found_in_package(packaged[i], &skeletons, offsets));
	}
}

static void what_is_no_package_is_an_error(void **state UNUSED)
{
	_cleanup_elf_image_ struct elf_image *img = fixture_open("gcc-dwarf5", "prog");
	_cleanup_elf_member_search_ struct elf_member_search search = { 0 };
	struct elf_skeletons none = { 0 };

	assert_success(elf_member_search_init(&search, &tsd_query));
	assert_error_tag(elf_split_dwarf_search(&search, img, &none), "no-debug-info");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(skeletons_name_their_files),
		cmocka_unit_test(ordinary_units_are_no_skeletons),
		cmocka_unit_test(listing_skeletons_can_be_cancelled),
		cmocka_unit_test(packages_of_both_makers_and_versions_answer),
		cmocka_unit_test(units_without_a_skeleton_do_not_count),
		cmocka_unit_test(what_is_no_package_is_an_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
