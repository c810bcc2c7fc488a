// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/version.h"

#include "unit.h"

static struct kernel_version version(const char *text)
{
	struct kernel_version v;

	assert_true(kernel_version_parse(text, &v, NULL));
	return v;
}

static void numbers_are_taken_and_the_rest_is_left(void **state UNUSED)
{
	static const struct {
		const char *text;
		uint32_t major, minor, patch;
		bool has_patch;
		const char *rest;
	} rows[] = {
		{ "6.18", 6, 18, 0, false, "" },
		{ "6.18.15", 6, 18, 15, true, "" },
		{ "6.18.15+deb13-cloud-amd64", 6, 18, 15, true, "+deb13-cloud-amd64" },
		{ "7.3-rc1", 7, 3, 0, false, "-rc1" },
		{ "6.1.0-50-amd64", 6, 1, 0, true, "-50-amd64" },
		{ "6.18.x", 6, 18, 0, false, ".x" },
		{ "6.18.15.3", 6, 18, 15, true, ".3" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct kernel_version v;
		const char *rest;

		assert_true(kernel_version_parse(rows[i].text, &v, &rest));
		assert_int_equal(v.major, rows[i].major);
		assert_int_equal(v.minor, rows[i].minor);
		assert_int_equal(v.patch, rows[i].patch);
		assert_int_equal(v.has_patch, rows[i].has_patch);
		assert_string_equal(rest, rows[i].rest);
	}
}

static void other_words_are_no_versions(void **state UNUSED)
{
	static const char *const wrong[] = { "",    "6",    "6.",    ".18",	     "v6.18",
					     "six", "6-18", "-6.18", "6.99999999999" };
	struct kernel_version v;

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_false(kernel_version_parse(wrong[i], &v, NULL));
}

static void order_is_by_number_not_by_letter(void **state UNUSED)
{
	static const char *const sorted[] = { "5.19.17", "6.9.1",   "6.18",
					      "6.18.9",	 "6.18.15", "7.0.1" };

	for (size_t i = 0; i < ARRAY_SIZE(sorted); i++) {
		for (size_t k = 0; k < ARRAY_SIZE(sorted); k++) {
			struct kernel_version a = version(sorted[i]), b = version(sorted[k]);
			int order = kernel_version_compare(&a, &b);

			assert_int_equal((order > 0) - (order < 0), (i > k) - (i < k));
		}
	}
}

static void a_series_holds_its_versions_and_a_version_only_itself(void **state UNUSED)
{
	struct kernel_version series = version("6.18"), one = version("6.18.1"),
			      fifteen = version("6.18.15"), other = version("6.1.18");

	assert_true(kernel_version_matches(&series, &one));
	assert_true(kernel_version_matches(&series, &fifteen));
	assert_false(kernel_version_matches(&series, &other));
	assert_true(kernel_version_matches(&fifteen, &fifteen));
	assert_false(kernel_version_matches(&one, &fifteen));
}

static void names_that_leave_the_folder_are_not_safe(void **state UNUSED)
{
	static const char *const wrong[] = { "", ".", "..", ".new-x", "a/b", "a b", "a\n", "\x1b" };

	assert_true(kernel_name_is_safe("6.18.15+deb13-cloud-amd64"));
	assert_true(kernel_name_is_safe("6.1~rc1_x"));
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_false(kernel_name_is_safe(wrong[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_taken_and_the_rest_is_left),
		cmocka_unit_test(other_words_are_no_versions),
		cmocka_unit_test(order_is_by_number_not_by_letter),
		cmocka_unit_test(a_series_holds_its_versions_and_a_version_only_itself),
		cmocka_unit_test(names_that_leave_the_folder_are_not_safe),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
