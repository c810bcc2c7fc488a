// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include "suite/declared.h"

KTSTR_TEST(second) = { .duration_s = 2 };
KTSTR_TEST(first) = { .duration_s = 1 };

static void declared_tests_are_found_and_sorted(void **state UNUSED)
{
	_cleanup_suite_entry_list_ struct suite_entry_list list = { 0 };

	suite_entries_of_program(&list);
	assert_int_equal(list.rows.n, 2);
	assert_string_equal(list.rows.at[0]->name, "first");
	assert_string_equal(list.rows.at[1]->name, "second");
	assert_int_equal(list.rows.at[1]->test->duration_s, 2);
	assert_int_equal(list.rows.at[1]->line + 1, list.rows.at[0]->line);
	assert_non_null(strstr(list.rows.at[0]->file, "test_entries.c"));
}

static void equal_names_come_by_file_and_line(void **state UNUSED)
{
	static const struct ktstr_entry rows[] = {
		{ "b", "z.c", 1, NULL },
		{ "a", "y.c", 30, NULL },
		{ "a", "x.c", 9, NULL },
		{ "a", "y.c", 4, NULL },
	};
	const struct ktstr_entry *const at[] = { &rows[0], &rows[1], NULL, &rows[2], &rows[3] };
	_cleanup_suite_entry_list_ struct suite_entry_list list = { 0 };

	suite_entries_collect(at, at + ARRAY_SIZE(at), &list);
	assert_int_equal(list.rows.n, 4);
	assert_ptr_equal(list.rows.at[0], &rows[2]);
	assert_ptr_equal(list.rows.at[1], &rows[3]);
	assert_ptr_equal(list.rows.at[2], &rows[1]);
	assert_ptr_equal(list.rows.at[3], &rows[0]);
}

static void a_name_is_found_whole(void **state UNUSED)
{
	_cleanup_suite_entry_list_ struct suite_entry_list list = { 0 };

	suite_entries_of_program(&list);
	assert_string_equal(suite_entries_find(&list, "second")->name, "second");
	assert_null(suite_entries_find(&list, "sec"));
	assert_null(suite_entries_find(&list, ""));
}

static void no_section_is_no_tests(void **state UNUSED)
{
	_cleanup_suite_entry_list_ struct suite_entry_list list = { 0 };

	suite_entries_collect(NULL, NULL, &list);
	assert_int_equal(list.rows.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(declared_tests_are_found_and_sorted),
		cmocka_unit_test(equal_names_come_by_file_and_line),
		cmocka_unit_test(a_name_is_found_whole),
		cmocka_unit_test(no_section_is_no_tests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
