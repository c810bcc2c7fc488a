// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/unit_range.h"

#include "fixture.h"
#include "unit.h"

static void ranges_tile(const char *variant)
{
	_cleanup_elf_image_ struct elf_image *img = fixture_open(variant, "prog");
	_cleanup_dwarf_view_ struct dwarf_view *view = NULL;
	const uint8_t *at;
	struct bytes info;
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;

	assert_success(dwarf_view_new(img, DWARF_VIEW_MAIN, &view));
	assert_success(dwarf_view_load_all(view));
	info = dwarf_view_section(view, ".debug_info");
	at = info.at;
	while (dwarf_get_units(dwarf_view_dwarf(view), cu, &cu, NULL, NULL, &die, NULL) == 0) {
		struct unit_range range = unit_range_of(view, &die);

		if (range.start < info.at || range.start >= info.at + info.n)
			continue; /* in .debug_types */
		assert_ptr_equal(range.start, at);
		at = range.end;
	}
	assert_ptr_equal(at, info.at + info.n);
}

static void the_units_of_an_object_lie_end_to_end(void **state UNUSED)
{
	ranges_tile("gcc-dwarf5");
	ranges_tile("gcc-dwarf2");
	ranges_tile("gcc-dwarf64");
	ranges_tile("gcc-types4");
	ranges_tile("gcc-static");
}

static void an_entry_of_another_view_has_no_range(void **state UNUSED)
{
	_cleanup_elf_image_ struct elf_image *img = fixture_open("gcc-dwarf5", "prog");
	_cleanup_dwarf_view_ struct dwarf_view *one = NULL;
	_cleanup_dwarf_view_ struct dwarf_view *two = NULL;
	struct unit_range range;
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;

	assert_success(dwarf_view_new(img, DWARF_VIEW_MAIN, &one));
	assert_success(dwarf_view_new(img, DWARF_VIEW_MAIN, &two));
	assert_success(dwarf_view_load_all(one));
	assert_success(dwarf_view_load_all(two));
	assert_int_equal(dwarf_get_units(dwarf_view_dwarf(one), NULL, &cu, NULL, NULL, &die, NULL),
			 0);
	range = unit_range_of(two, &die);
	assert_null(range.start);
	assert_null(range.end);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_units_of_an_object_lie_end_to_end),
		cmocka_unit_test(an_entry_of_another_view_has_no_range),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
