// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/member_search.h"

#include "fixture.h"
#include "unit.h"

/* How many of the image's units are admitted for the name. */
static size_t admitted(const char *variant, const char *name, size_t *ret_units)
{
	_cleanup_elf_image_ struct elf_image *img = fixture_open(variant, "prog");
	_cleanup_elf_dwarf_view_ struct elf_dwarf_view *view = NULL;
	_cleanup_elf_name_filter_ struct elf_name_filter filter;
	Dwarf_CU *cu = NULL;
	size_t n = 0;

	assert_success(elf_dwarf_view_new(img, ELF_DWARF_VIEW_MAIN, &view));
	assert_success(elf_dwarf_view_load_all(view));
	elf_name_filter_init(&filter, view);
	assert_true(elf_name_filter_is_empty(&filter));
	elf_name_filter_add(&filter, name);
	*ret_units = 0;
	while (dwarf_get_units(elf_dwarf_view_dwarf(view), cu, &cu, NULL, NULL, NULL, NULL) == 0) {
		n += elf_name_filter_admits(&filter, cu);
		++*ret_units;
	}
	assert_int_equal(elf_name_filter_is_empty(&filter), n == 0);
	return n;
}

/*
 * A unit may be admitted in vain when four of its bytes happen to equal an offset, which depends on
 * the length of the path it was compiled in. Over all compilers most are left out.
 */
static void units_that_do_not_mention_the_name_are_left_out(void **state UNUSED)
{
	static const char *const variants[] = { "gcc-dwarf2", "gcc-dwarf3",   "gcc-dwarf4",
						"gcc-dwarf5", "clang-dwarf4", "gcc-dwarf64" };
	size_t n_units, n_made = 0, n_admitted = 0;

	for (size_t i = 0; i < ARRAY_SIZE(variants); i++) {
		if (!fixture_exists(variants[i]))
			continue;
		n_made++;
		n_admitted += admitted(variants[i], MANGLED("thread_allocated"), &n_units);
		assert_int_equal(n_units, 2);
		assert_in_range(admitted(variants[i], "unrelated", &n_units), 1, 2);
		assert_int_equal(admitted(variants[i], "tsd_s", &n_units), 2);
		assert_int_equal(admitted(variants[i], "never_mentioned", &n_units), 0);
	}
	assert_in_range(n_admitted, n_made, n_made + n_made / 2);
}

/* Strings by index: the offset stands in .debug_str_offsets, in the unit's own part of it. */
static void names_by_index_are_followed(void **state UNUSED)
{
	static const char *const names[] = { MANGLED("thread_allocated"),
					     MANGLED("thread_deallocated"),
					     "je_tsd_fetch_slow",
					     "unrelated",
					     "declared_only",
					     "other_unit" };
	size_t n_units, n_admitted = 0;

	need_fixture("clang-dwarf5");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		size_t n = admitted("clang-dwarf5", names[i], &n_units);

		assert_true(n >= 1);
		n_admitted += n;
	}
	assert_in_range(n_admitted, ARRAY_SIZE(names), ARRAY_SIZE(names) * 3 / 2);
	assert_int_equal(admitted("clang-dwarf5", "never_mentioned", &n_units), 0);
}

static void type_units_are_admitted_too(void **state UNUSED)
{
	size_t n_units;

	assert_true(admitted("gcc-types4", MANGLED("thread_allocated"), &n_units) >= 1);
	assert_true(n_units > 2);
}

/* "t" ends more strings than are followed: rather every unit than a wrong choice. */
static void a_name_met_everywhere_admits_every_unit(void **state UNUSED)
{
	size_t n_units, n;

	n = admitted("gcc-static", "t", &n_units);
	assert_int_equal(n, n_units);
}

/* Names this short are not worth an offset: gcc writes them into the entry. */
static void a_name_inside_the_entry_is_found(void **state UNUSED)
{
	size_t n_units;

	assert_true(admitted("gcc-dwarf5", "int", &n_units) >= 1);
	assert_true(admitted("gcc-types4", "int", &n_units) >= 1);
}

static void a_unit_that_mentions_any_of_the_names_is_admitted(void **state UNUSED)
{
	_cleanup_elf_image_ struct elf_image *img = fixture_open("gcc-dwarf5", "prog");
	_cleanup_elf_dwarf_view_ struct elf_dwarf_view *view = NULL;
	_cleanup_elf_name_filter_ struct elf_name_filter filter;
	Dwarf_CU *cu = NULL;

	assert_success(elf_dwarf_view_new(img, ELF_DWARF_VIEW_MAIN, &view));
	assert_success(elf_dwarf_view_load_all(view));
	elf_name_filter_init(&filter, view);
	elf_name_filter_add(&filter, "never_mentioned");
	assert_true(elf_name_filter_is_empty(&filter));
	elf_name_filter_add(&filter, MANGLED("thread_allocated"));
	elf_name_filter_add(&filter, "unrelated");
	while (dwarf_get_units(elf_dwarf_view_dwarf(view), cu, &cu, NULL, NULL, NULL, NULL) == 0)
		assert_true(elf_name_filter_admits(&filter, cu));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units_that_do_not_mention_the_name_are_left_out),
		cmocka_unit_test(names_by_index_are_followed),
		cmocka_unit_test(type_units_are_admitted_too),
		cmocka_unit_test(a_name_met_everywhere_admits_every_unit),
		cmocka_unit_test(a_name_inside_the_entry_is_found),
		cmocka_unit_test(a_unit_that_mentions_any_of_the_names_is_admitted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
