// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include "suite/folder.h"
#include "suite/system.h"

static void dots_are_folders(void **state UNUSED)
{
	_cleanup_folder_ struct folder folder;
	_cleanup_free_ char *text = NULL;

	folder_init(&folder);
	folder_write(&folder, "kernel/sched_x", "");
	assert_success(suite_settings_write(folder.path, "kernel.sched_x=1 2.5=3"));
	text = folder_read(&folder, "kernel/sched_x");
	assert_string_equal(text, "1 2.5=3");
}

static void what_is_not_there_is_told(void **state UNUSED)
{
	_cleanup_folder_ struct folder folder;
	struct error *err;

	folder_init(&folder);
	err = suite_settings_write(folder.path, "kernel.none=1");
	assert_non_null(err);
	assert_string_equal(error_message(err), "sysctl kernel.none=1: No such file or directory");
	error_free(err);
	assert_error_tag(suite_settings_write(folder.path, "kernel.none"), "parse");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dots_are_folders),
		cmocka_unit_test(what_is_not_there_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
