// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/dwarf_view.h"

#include "fixture.h"
#include "made_dwarf.h"
#include "unit.h"

static size_t count_units(const struct elf_dwarf_view *view)
{
	Dwarf_CU *cu = NULL;
	size_t n = 0;

	while (dwarf_get_units(elf_dwarf_view_dwarf(view), cu, &cu, NULL, NULL, NULL, NULL) == 0)
		n++;
	return n;
}

static void all_units_or_one_can_be_shown_in_turn(void **state UNUSED)
{
	_cleanup_elf_image_ struct elf_image *img = fixture_open("gcc-dwarf5", "prog");
	_cleanup_elf_dwarf_view_ struct elf_dwarf_view *view = NULL;
	struct bytes all, section;
	uint32_t first_length;

	assert_success(elf_image_section(img, ".debug_info", &all));
	assert_success(elf_dwarf_view_new(img, ELF_DWARF_VIEW_MAIN, &view));
	assert_success(elf_dwarf_view_load_all(view));
	assert_int_equal(count_units(view), 2);
	section = elf_dwarf_view_section(view, ".debug_info");
	assert_int_equal(section.n, all.n);
	assert_memory_equal(section.at, all.at, all.n);
	memcpy(&first_length, all.at, 4);
	for (int i = 0; i < 2; i++) {
		assert_success(elf_dwarf_view_load_unit(view, first_length + 4));
		assert_int_equal(count_units(view), 1);
		assert_int_equal(elf_dwarf_view_section(view, ".debug_info").n,
				 all.n - first_length - 4);
		assert_success(elf_dwarf_view_load_unit(view, 0));
		assert_int_equal(count_units(view), 1);
	}
	assert_success(elf_dwarf_view_load_all(view));
	assert_int_equal(count_units(view), 2);
}

static void a_dwarf_view_decompresses_sections(void **state UNUSED)
{
	_cleanup_elf_image_ struct elf_image *img = fixture_open("gcc-zlib", "prog");
	_cleanup_elf_dwarf_view_ struct elf_dwarf_view *view = NULL;

	assert_success(elf_dwarf_view_new(img, ELF_DWARF_VIEW_MAIN, &view));
	assert_success(elf_dwarf_view_load_all(view));
	assert_int_equal(count_units(view), 2);
}

static void no_units_means_no_view(void **state UNUSED)
{
	_cleanup_elf_image_ struct elf_image *plain = fixture_open("gcc-dwarf5", "prog");
	_cleanup_elf_image_ struct elf_image *none = fixture_open("gcc-nodebug", "prog");
	struct elf_dwarf_view *view = NULL;

	assert_error_tag(elf_dwarf_view_new(plain, ELF_DWARF_VIEW_DWO, &view), "no-debug-info");
	assert_error_tag(elf_dwarf_view_new(none, ELF_DWARF_VIEW_MAIN, &view), "no-debug-info");
	assert_null(view);
}

static void units_outside_the_section_are_refused(void **state UNUSED)
{
	_cleanup_elf_builder_ struct elf_builder b = { .type = ET_EXEC };
	_cleanup_elf_image_ struct elf_image *img = NULL;
	_cleanup_elf_dwarf_view_ struct elf_dwarf_view *view = NULL;
	static const uint8_t info[] = { 0xff, 0xff, 0, 0, 4, 0, 0xff, 0xff, 0xff, 0xff, 1, 2, 3 };

	elf_builder_section(&b, ".debug_info", SHT_PROGBITS, 0, info, sizeof(info));
	img = elf_builder_open(&b);
	assert_success(elf_dwarf_view_new(img, ELF_DWARF_VIEW_MAIN, &view));
	assert_error_tag(elf_dwarf_view_load_unit(view, 0), "bad-dwarf");
	assert_error_tag(elf_dwarf_view_load_unit(view, 6), "bad-dwarf"); /* 64-bit length, cut */
	assert_error_tag(elf_dwarf_view_load_unit(view, 10), "bad-dwarf");
	assert_error_tag(elf_dwarf_view_load_unit(view, sizeof(info)), "bad-dwarf");
	assert_error_tag(elf_dwarf_view_load_unit(view, UINT64_MAX), "bad-dwarf");
}

static void a_dwarf_view_loads_only_the_sections_it_needs(void **state UNUSED)
{
	_cleanup_elf_image_ struct elf_image *img = fixture_open("gcc-dwarf5", "prog");
	_cleanup_elf_dwarf_view_ struct elf_dwarf_view *view = NULL;

	assert_success(elf_dwarf_view_new(img, ELF_DWARF_VIEW_MAIN, &view));
	assert_true(elf_dwarf_view_section(view, ".debug_str").n > 0);
	assert_int_equal(elf_dwarf_view_section(view, ".debug_line").n, 0);
	assert_string_equal(elf_dwarf_view_label(view), elf_image_label(img));
}

static void units_tile(const char *variant)
{
	_cleanup_elf_image_ struct elf_image *img = fixture_open(variant, "prog");
	_cleanup_elf_dwarf_view_ struct elf_dwarf_view *view = NULL;
	const uint8_t *at;
	struct bytes info;
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;

	assert_success(elf_dwarf_view_new(img, ELF_DWARF_VIEW_MAIN, &view));
	assert_success(elf_dwarf_view_load_all(view));
	info = elf_dwarf_view_section(view, ".debug_info");
	at = info.at;
	while (dwarf_get_units(elf_dwarf_view_dwarf(view), cu, &cu, NULL, NULL, &die, NULL) == 0) {
		struct bytes unit = elf_dwarf_view_unit(view, &die);

		if (unit.at < info.at || unit.at >= info.at + info.n)
			continue; /* in .debug_types */
		assert_ptr_equal(unit.at, at);
		at = unit.at + unit.n;
	}
	assert_ptr_equal(at, info.at + info.n);
}

static void the_units_of_an_object_lie_end_to_end(void **state UNUSED)
{
	units_tile("gcc-dwarf5");
	units_tile("gcc-dwarf2");
	units_tile("gcc-dwarf64");
	units_tile("gcc-types4");
	units_tile("gcc-static");
}

static void an_entry_of_another_view_has_no_unit(void **state UNUSED)
{
	_cleanup_elf_image_ struct elf_image *img = fixture_open("gcc-dwarf5", "prog");
	_cleanup_elf_dwarf_view_ struct elf_dwarf_view *one = NULL;
	_cleanup_elf_dwarf_view_ struct elf_dwarf_view *two = NULL;
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;

	assert_success(elf_dwarf_view_new(img, ELF_DWARF_VIEW_MAIN, &one));
	assert_success(elf_dwarf_view_new(img, ELF_DWARF_VIEW_MAIN, &two));
	assert_success(elf_dwarf_view_load_all(one));
	assert_success(elf_dwarf_view_load_all(two));
	assert_int_equal(
		dwarf_get_units(elf_dwarf_view_dwarf(one), NULL, &cu, NULL, NULL, &die, NULL), 0);
	assert_int_equal(elf_dwarf_view_unit(two, &die).n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_units_or_one_can_be_shown_in_turn),
		cmocka_unit_test(a_dwarf_view_decompresses_sections),
		cmocka_unit_test(no_units_means_no_view),
		cmocka_unit_test(units_outside_the_section_are_refused),
		cmocka_unit_test(a_dwarf_view_loads_only_the_sections_it_needs),
		cmocka_unit_test(the_units_of_an_object_lie_end_to_end),
		cmocka_unit_test(an_entry_of_another_view_has_no_unit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
