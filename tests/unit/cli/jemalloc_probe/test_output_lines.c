// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/jemalloc_probe/jemalloc_probe.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/io.h"
#include "fake_engine.h"
#include "unit.h"

static const struct fake_thread threads[] = {
	{ .tid = 42, .comm = "main", .allocated_bytes = 1024, .deallocated_bytes = 512 },
	{ .tid = 43, .comm = "gone", .error_errno = ESRCH },
	{ .tid = 44, .allocated_bytes = UINT64_MAX },
};

static char *text_of(int fd)
{
	struct strbuf text = STRBUF_INIT;

	lseek(fd, 0, SEEK_SET);
	assert_success(io_read_fd(fd, "memfd", 1 << 20, &text));
	return strbuf_take(&text);
}

static void numbers_and_warnings_go_their_ways(void **state UNUSED)
{
	_cleanup_(probe_report_deinit) struct probe_report report = fake_report(threads, 3, 2);
	_cleanup_close_ int out = memfd_create("out", 0), err = memfd_create("err", 0);
	_cleanup_free_ char *out_text = NULL, *err_text = NULL;

	assert_success(output_lines(&report, out, err));
	out_text = text_of(out);
	err_text = text_of(err);
	assert_string_equal(out_text,
			    "pid=100 tool_version=" KTSTR_VERSION "\n"
			    "--- snapshot 1/2 @ 1700000000s ---\n"
			    "tid=42 comm=main allocated_bytes=1024 deallocated_bytes=512\n"
			    "tid=44 allocated_bytes=18446744073709551615 deallocated_bytes=0\n"
			    "--- snapshot 2/2 @ 1700000001s ---\n"
			    "tid=42 comm=main allocated_bytes=1024 deallocated_bytes=512\n"
			    "tid=44 allocated_bytes=18446744073709551615 deallocated_bytes=0\n");
	assert_string_equal(err_text,
			    "warning: tid 43 comm=gone [ptrace-seize]: tid 43: No such process\n"
			    "warning: tid 43 comm=gone [ptrace-seize]: tid 43: No such process\n");
}

static void both_streams_in_one_file_keep_their_order(void **state UNUSED)
{
	_cleanup_(probe_report_deinit) struct probe_report report = fake_report(threads, 3, 1);
	_cleanup_close_ int both = memfd_create("both", 0);
	_cleanup_free_ char *text = NULL;
	const char *before, *warning, *after;

	assert_success(output_lines(&report, both, both));
	text = text_of(both);
	before = strstr(text, "tid=42");
	warning = strstr(text, "warning: tid 43");
	after = strstr(text, "tid=44");
	assert_true(before && warning && after);
	assert_true(before < warning && warning < after);
}

static void a_name_cannot_break_its_line(void **state UNUSED)
{
	static const struct fake_thread hostile[] = {
		{ .tid = 1, .comm = "x\ntid=2 comm=y\033[2J", .allocated_bytes = 5 },
	};
	_cleanup_(probe_report_deinit) struct probe_report report = fake_report(hostile, 1, 1);
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;

	output_thread_line(&report.snapshots.at[0].threads[0], &line);
	assert_string_equal(strbuf_str(&line),
			    "tid=1 comm=x\\ntid=2 comm=y\\x1b[2J allocated_bytes=5 "
			    "deallocated_bytes=0");
}

static void no_snapshot_leaves_the_head_alone(void **state UNUSED)
{
	_cleanup_(probe_report_deinit) struct probe_report report = fake_report(threads, 3, 0);
	_cleanup_close_ int out = memfd_create("out", 0);
	_cleanup_free_ char *text = NULL;

	assert_success(output_lines(&report, out, out));
	text = text_of(out);
	assert_string_equal(text, "pid=100 tool_version=" KTSTR_VERSION "\n");
}

static void a_full_disk_is_an_error_with_its_errno(void **state UNUSED)
{
	_cleanup_(probe_report_deinit) struct probe_report report = fake_report(threads, 3, 1);
	_cleanup_close_ int full = open("/dev/full", O_WRONLY), err = memfd_create("err", 0);
	_cleanup_error_ struct error *error = output_lines(&report, full, err);

	assert_non_null(error);
	assert_int_equal(error_errno(error), ENOSPC);
}

static void a_closed_standard_error_costs_no_numbers(void **state UNUSED)
{
	_cleanup_(probe_report_deinit) struct probe_report report = fake_report(threads, 3, 1);
	_cleanup_close_ int out = memfd_create("out", 0);
	_cleanup_free_ char *text = NULL;

	assert_success(output_lines(&report, out, -1));
	text = text_of(out);
	assert_contains(text, "tid=44");
}

static void warnings_alone_hold_the_failed_threads(void **state UNUSED)
{
	_cleanup_(probe_report_deinit) struct probe_report report = fake_report(threads, 3, 1);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	output_warnings(&report, &text);
	assert_string_equal(strbuf_str(&text),
			    "warning: tid 43 comm=gone [ptrace-seize]: tid 43: No such process\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_and_warnings_go_their_ways),
		cmocka_unit_test(both_streams_in_one_file_keep_their_order),
		cmocka_unit_test(a_name_cannot_break_its_line),
		cmocka_unit_test(no_snapshot_leaves_the_head_alone),
		cmocka_unit_test(a_full_disk_is_an_error_with_its_errno),
		cmocka_unit_test(a_closed_standard_error_costs_no_numbers),
		cmocka_unit_test(warnings_alone_hold_the_failed_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
