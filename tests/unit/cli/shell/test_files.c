// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/shell/shell.h"

#include "unit.h"
#include "wire/cpio.h"

#define ENOUGH (UINT64_C(64) << 20)

static bool holds(const struct strbuf *archive, const char *name)
{
	/* A name stands in the archive with its NUL. */
	return memmem(archive->at, archive->n, name, strlen(name) + 1) != NULL;
}

static void a_program_brings_its_loader(void **state UNUSED)
{
	const struct cli_strings specs = { .n = 2,
					   .at = { "/proc/self/exe:tool", "/bin/sh:/opt/" } };
	_cleanup_strbuf_ struct strbuf archive = STRBUF_INIT;

	assert_success(shell_pack_files(&specs, ENOUGH, &archive));
	assert_true(holds(&archive, "root/tool"));
	assert_true(holds(&archive, "opt/sh"));
	assert_non_null(memmem(archive.at, archive.n, "/libc.so.6", 11));
	assert_non_null(memmem(archive.at, archive.n, "/ld-linux", 9));
	assert_true(holds(&archive, WIRE_CPIO_TRAILER));
	assert_int_equal(archive.n % WIRE_CPIO_BLOCK_BYTES, 0);
}

static void no_files_are_no_archive(void **state UNUSED)
{
	const struct cli_strings specs = { 0 };
	_cleanup_strbuf_ struct strbuf archive = STRBUF_INIT;

	assert_success(shell_pack_files(&specs, ENOUGH, &archive));
	assert_int_equal(archive.n, 0);
}

static void a_file_that_is_not_there_is_named(void **state UNUSED)
{
	const struct cli_strings specs = { .n = 1, .at = { "/nonexistent/tool:/bin/x" } };
	_cleanup_strbuf_ struct strbuf archive = STRBUF_INIT;
	_cleanup_error_ struct error *err = shell_pack_files(&specs, ENOUGH, &archive);

	assert_non_null(err);
	assert_contains(error_message(err), "--include: /nonexistent/tool: ");
	assert_contains(error_message(err), "No such file");
}

static void more_than_the_guest_can_hold_is_refused(void **state UNUSED)
{
	const struct cli_strings specs = { .n = 1, .at = { "/proc/self/exe" } };
	_cleanup_strbuf_ struct strbuf archive = STRBUF_INIT;
	_cleanup_strbuf_ struct strbuf all = STRBUF_INIT;

	assert_error_tag(shell_pack_files(&specs, 4096, &archive), "limit");
	assert_int_equal(archive.n, 0);
	assert_success(shell_pack_files(&specs, ENOUGH, &all));
	assert_error_tag(shell_pack_files(&specs, all.n - 1, &archive), "limit");
	assert_success(shell_pack_files(&specs, all.n, &archive));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_brings_its_loader),
		cmocka_unit_test(no_files_are_no_archive),
		cmocka_unit_test(a_file_that_is_not_there_is_named),
		cmocka_unit_test(more_than_the_guest_can_hold_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
