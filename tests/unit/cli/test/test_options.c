// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/test/options.h"

#include "report/report.h"
#include "unit.h"

static void formats_stand_in_the_order_of_the_reporters(void **state UNUSED)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formats_stand_in_the_order_of_the_reporters),
		cmocka_unit_test(loud_and_quiet_exclude_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
