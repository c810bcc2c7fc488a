// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/name_filter.h"

#include "fixture.h"
#include "unit.h"

/* How many of the image's units are admitted for the name. */
static size_t admitted(const char *variant, const char *name, size_t *ret_units)
{
	_cleanup_elf_image_ struct elf_image *img = fixture_open(variant, "prog");
	_cleanup_dwarf_view_ struct dwarf_view *view = NULL;
	_cleanup_name_filter_ struct name_filter filter;
	Dwarf_CU *cu = NULL;
	size_t n = 0;

	assert_success(dwarf_view_new(img, DWARF_VIEW_MAIN, &view));
	assert_success(dwarf_view_load_all(view));
	name_filter_init(&filter, view);
	assert_true(name_filter_is_empty(&filter));
	name_filter_add(&filter, name);
	*ret_units = 0;
	while (dwarf_get_units(dwarf_view_dwarf(view), cu, &cu, NULL, NULL, NULL, NULL) == 0) {
		n += name_filter_admits(&filter, cu);
		++*ret_units;
	}
	assert_int_equal(name_filter_is_empty(&filter), n == 0);
	return n;
}

static void only_the_unit_that_mentions_the_name_is_admitted(void **state UNUSED)
{
	static const char *const variants[] = { "gcc-dwarf2", "gcc-dwarf3",   "gcc-dwarf4",
						"gcc-dwarf5", "clang-dwarf4", "gcc-dwarf64" };
	size_t n_units;

	for (size_t i = 0; i < ARRAY_SIZE(variants); i++) {
		if (!fixture_exists(variants[i]))
			continue;
		assert_int_equal(admitted(variants[i], MANGLED("thread_allocated"), &n_units), 1);
		assert_int_equal(n_units, 2);
		assert_int_equal(admitted(variants[i], "unrelated", &n_units), 1);
		assert_int_equal(admitted(variants[i], "tsd_s", &n_units), 2);
		assert_int_equal(admitted(variants[i], "never_mentioned", &n_units), 0);
	}
}

/* Strings by index: the offset stands in .debug_str_offsets. */
static void names_by_index_are_followed(void **state UNUSED)
{
	size_t n_units;

	need_fixture("clang-dwarf5");
	assert_in_range(admitted("clang-dwarf5", MANGLED("thread_allocated"), &n_units), 1, 2);
	assert_int_equal(admitted("clang-dwarf5", "never_mentioned", &n_units), 0);
}

static void type_units_are_admitted_too(void **state UNUSED)
{
	size_t n_units;

	assert_true(admitted("gcc-types4", MANGLED("thread_allocated"), &n_units) >= 1);
	assert_true(n_units > 2);
}

/* "s" ends thousands of strings: rather every unit than a wrong choice. */
static void a_name_met_everywhere_admits_every_unit(void **state UNUSED)
{
	size_t n_units, n;

	n = admitted("gcc-static", "t", &n_units);
	assert_int_equal(n, n_units);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_the_unit_that_mentions_the_name_is_admitted),
		cmocka_unit_test(names_by_index_are_followed),
		cmocka_unit_test(type_units_are_admitted_too),
		cmocka_unit_test(a_name_met_everywhere_admits_every_unit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
