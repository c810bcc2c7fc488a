// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/job.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/io.h"
#include "base/paths.h"
#include "unit.h"

static char *scratch(void)
{
	char *dir = xstrdup("/tmp/ktstr-kept-XXXXXX");

	assert_non_null(mkdtemp(dir));
	return dir;
}

static void assert_holds(const char *dir, const char *name, const char *expected)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", dir, name);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	assert_success(io_read_file(path, 1 << 20, &text));
	assert_string_equal(strbuf_str(&text), expected);
}

static void console_and_reported_texts_are_written_as_files(void **state UNUSED)
{
	_cleanup_free_ char *base = scratch(), *dir = xasprintf("%s/below", base);
	_cleanup_harness_kept_files_ struct harness_kept_files kept = { 0 };
	struct strbuf console = { (char *)(uintptr_t)"boom\n", 5, 0 };
	struct exchange_text text = { (char *)(uintptr_t)"scheduler.stderr",
				      { (char *)(uintptr_t)"log", 3, 0 } };
	struct harness_guest_run run = {
		.streams = { [VM_STDERR] = { { (char *)(uintptr_t)"words", 5, 0 }, 7 } },
		.report = { .texts = { &text, 1, 1 } },
	};

	assert_success(harness_kept_write(dir, &console, &run, &kept));
	assert_int_equal(kept.names.n, 3);
	assert_holds(dir, "console.log", "boom\n");
	assert_holds(dir, "scheduler.stderr", "log");
	assert_holds(dir, "test.stderr", "words\n[7 bytes in the middle were not kept]\n");
	assert_success(paths_remove(base));
}

static void a_guests_text_cannot_replace_console_log(void **state UNUSED)
{
	_cleanup_free_ char *base = scratch(), *dir = xasprintf("%s/below", base);
	_cleanup_harness_kept_files_ struct harness_kept_files kept = { 0 };
	struct strbuf console = { (char *)(uintptr_t)"boom\n", 5, 0 };
	struct exchange_text text = { (char *)(uintptr_t)"console.log",
				      { (char *)(uintptr_t)"all is well", 11, 0 } };
	struct harness_guest_run run = { .report = { .texts = { &text, 1, 1 } } };

	assert_success(harness_kept_write(dir, &console, &run, &kept));
	assert_int_equal(kept.names.n, 2);
	assert_holds(dir, "console.log", "boom\n");
	assert_holds(dir, "guest.console.log", "all is well");
	assert_success(paths_remove(base));
}

static void a_symlink_in_place_of_the_kept_directory_is_not_followed(void **state UNUSED)
{
	_cleanup_free_ char *base = scratch(), *dir = xasprintf("%s/below", base);
	_cleanup_free_ char *elsewhere = xasprintf("%s/elsewhere", base);
	_cleanup_free_ char *file = xasprintf("%s/console.log", elsewhere);
	_cleanup_harness_kept_files_ struct harness_kept_files kept = { 0 };
	struct strbuf console = { (char *)(uintptr_t)"boom\n", 5, 0 };
	struct stat st;

	assert_int_equal(mkdir(elsewhere, 0755), 0);
	assert_int_equal(symlink("elsewhere", dir), 0);
	assert_error_tag(harness_kept_write(dir, &console, NULL, &kept), "io");
	assert_int_equal(stat(file, &st), -1);
	assert_success(paths_remove(base));
}

static void nothing_to_keep_leaves_no_directory(void **state UNUSED)
{
	_cleanup_free_ char *base = scratch(), *dir = xasprintf("%s/below", base);
	_cleanup_harness_kept_files_ struct harness_kept_files kept = { 0 };
	struct strbuf console = STRBUF_INIT;
	struct harness_guest_run run = { 0 };
	struct stat st;

	assert_success(harness_kept_write(dir, &console, &run, &kept));
	assert_int_equal(kept.names.n, 0);
	assert_int_equal(stat(dir, &st), -1);
	assert_success(paths_remove(base));
}

static void a_kept_directory_that_cannot_be_created_is_an_error(void **state UNUSED)
{
	_cleanup_harness_kept_files_ struct harness_kept_files kept = { 0 };
	struct strbuf console = { (char *)(uintptr_t)"boom\n", 5, 0 };
	_cleanup_error_ struct error *err = harness_kept_write("/proc/1/no/such", &console, NULL,
							       &kept);

	assert_non_null(err);
	assert_int_equal(kept.names.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(console_and_reported_texts_are_written_as_files),
		cmocka_unit_test(a_guests_text_cannot_replace_console_log),
		cmocka_unit_test(a_symlink_in_place_of_the_kept_directory_is_not_followed),
		cmocka_unit_test(nothing_to_keep_leaves_no_directory),
		cmocka_unit_test(a_kept_directory_that_cannot_be_created_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
