// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/frame/commands.h"

#include "unit.h"

static void assert_refused(struct cli_strings values, const char *message)
{
	_cleanup_error_ struct error *err = cli_check_directories("--files", &values);

	assert_non_null(err);
	assert_string_equal(error_tag(err), "usage");
	assert_string_equal(error_message(err), message);
}

static void directories_are_accepted(void **state UNUSED)
{
	struct cli_strings none = { 0 }, two = { .n = 2, .at = { "/", "." } };

	assert_success(cli_check_directories("--files", &none));
	assert_success(cli_check_directories("--files", &two));
}

static void what_is_not_a_directory_is_refused_by_name(void **state UNUSED)
{
	assert_refused((struct cli_strings){ .n = 2, .at = { "/", "/dev/null" } },
		       "--files /dev/null: not a directory");
	assert_refused((struct cli_strings){ .n = 2, .at = { "/", "/nonexistent" } },
		       "--files /nonexistent: No such file or directory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(directories_are_accepted),
		cmocka_unit_test(what_is_not_a_directory_is_refused_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
