// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "suite/folder.h"
#include "suite/system.h"

enum { LONG_MS = 60000 };

static void check_calls(uint64_t limit_ms)
{
	_cleanup_folder_ struct folder folder;
	_cleanup_close_ int fd = -1;
	_cleanup_free_ char *text = NULL;

	folder_init(&folder);
	fd = open(folder.path, O_RDONLY | O_DIRECTORY);
	folder_write(&folder, "file", "");
	assert_success(suite_bounded_write(fd, "file", "text", "label", limit_ms));
	text = folder_read(&folder, "file");
	assert_string_equal(text, "text");
	assert_success(suite_bounded_mkdir(fd, "new", "label", limit_ms));
	assert_int_equal(faccessat(fd, "new", F_OK, 0), 0);
	assert_success(suite_bounded_rmdir(fd, "new", "label", limit_ms));
	assert_int_equal(faccessat(fd, "new", F_OK, 0), -1);
}

static void calls_do_what_they_say(void **state UNUSED)
{
	check_calls(LONG_MS);
	check_calls(SUITE_BOUNDED_AT_ONCE);
}

static void check_refusals(uint64_t limit_ms)
{
	_cleanup_folder_ struct folder folder;
	_cleanup_close_ int fd = -1;
	struct error *err;

	folder_init(&folder);
	fd = open(folder.path, O_RDONLY | O_DIRECTORY);
	err = suite_bounded_write(fd, "none", "text", "label", limit_ms);
	assert_int_equal(error_errno(err), ENOENT);
	assert_string_equal(error_message(err), "label: No such file or directory");
	error_free(err);
	folder_write(&folder, "full/file", "");
	err = suite_bounded_rmdir(fd, "full", "label", limit_ms);
	assert_int_equal(error_errno(err), ENOTEMPTY);
	error_free(err);
}

static void a_refusal_keeps_its_errno(void **state UNUSED)
{
	check_refusals(LONG_MS);
	check_refusals(SUITE_BOUNDED_AT_ONCE);
}

/* Opening a fifo for writing waits until somebody reads: nobody does. */
static void a_call_that_does_not_return_is_left_behind(void **state UNUSED)
{
	_cleanup_folder_ struct folder folder;
	_cleanup_close_ int fd = -1;

	folder_init(&folder);
	fd = open(folder.path, O_RDONLY | O_DIRECTORY);
	assert_int_equal(mkfifoat(fd, "fifo", 0600), 0);
	assert_error_tag(suite_bounded_write(fd, "fifo", "text", "label", 50), "cancelled");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_do_what_they_say),
		cmocka_unit_test(a_refusal_keeps_its_errno),
		cmocka_unit_test(a_call_that_does_not_return_is_left_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
