// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/test/test.h"

#include "report/report.h"
#include "unit.h"

static void format_options_are_in_the_order_of_report_formats(void **state UNUSED)
{
	for (int i = 0; i < REPORT_N_FORMATS; i++)
		assert_string_equal(test_formats[i].word, report_format_names[i]);
	assert_null(report_format_names[REPORT_N_FORMATS]);
}

static void loud_and_quiet_exclude_each_other(void **state UNUSED)
{
	struct test_config config = TEST_DEFAULTS;

	assert_success(test_config_check(&config));
	config.verbose = true;
	assert_success(test_config_check(&config));
	config.quiet = true;
	assert_error_tag(test_config_check(&config), "usage");
}

/* The promises of the manual, row by row. */
static const struct {
	size_t pass, fail, skip, broken, inconclusive;
	bool interrupted;
	int status, bisect;
} rows[] = {
	{ 3, 0, 0, 0, 0, false, 0, 0 },	   { 3, 0, 2, 0, 0, false, 0, 0 },
	{ 0, 0, 2, 0, 0, false, 0, 125 },  { 3, 1, 0, 0, 0, false, 1, 1 },
	{ 3, 1, 0, 1, 1, false, 1, 1 },	   { 3, 0, 0, 1, 0, false, 3, 125 },
	{ 3, 0, 0, 0, 1, false, 3, 125 },  { 0, 0, 0, 0, 0, false, 0, 125 },
	{ 1, 0, 0, 0, 1, true, 130, 130 }, { 1, 1, 0, 0, 1, true, 130, 130 },
};

static void every_row_of_the_table_holds(void **state UNUSED)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct test_counts counts = {
			.by_verdict = { [KTSTR_PASS] = rows[i].pass,
					[KTSTR_FAIL] = rows[i].fail,
					[KTSTR_SKIP] = rows[i].skip,
					[KTSTR_BROKEN] = rows[i].broken,
					[KTSTR_INCONCLUSIVE] = rows[i].inconclusive },
			.interrupted = rows[i].interrupted,
		};

		assert_int_equal(test_exit_status(&counts, false), rows[i].status);
		assert_int_equal(test_exit_status(&counts, true), rows[i].bisect);
	}
}

static void bisecting_skips_a_commit_that_could_not_be_run(void **state UNUSED)
{
	assert_int_equal(test_exit_unready(false), 2);
	assert_int_equal(test_exit_unready(true), 125);
	assert_int_equal(test_exit_untold(0, false), 3);
	assert_int_equal(test_exit_untold(0, true), 125);
	assert_int_equal(test_exit_untold(1, true), 1);
	assert_int_equal(test_exit_untold(130, false), 130);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(format_options_are_in_the_order_of_report_formats),
		cmocka_unit_test(loud_and_quiet_exclude_each_other),
		cmocka_unit_test(every_row_of_the_table_holds),
		cmocka_unit_test(bisecting_skips_a_commit_that_could_not_be_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
