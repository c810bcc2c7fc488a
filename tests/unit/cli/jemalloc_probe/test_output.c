// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/jemalloc_probe/jemalloc_probe.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/io.h"
#include "json/doc.h"
#include "fake_engine.h"
#include "unit.h"

static const struct fake_thread threads[] = {
	{ .tid = 42,
	  .comm = "worker-0",
	  .start_time_jiffies = 77,
	  .allocated_bytes = UINT64_MAX,
	  .deallocated_bytes = 512 },
	{ .tid = 43, .error_errno = ESRCH },
};

static struct json_doc *print_and_parse(const struct probe_report *report)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct json_doc *doc = NULL;

	output_json(report, &text);
	assert_int_equal(text.at[text.n - 1], '\n');
	assert_success(json_doc_parse(text.at, text.n, "output", &doc));
	return doc;
}

static void assert_keys(const struct json_value *object, const char *const keys[], size_t n)
{
	struct json_iter it = json_iter_over(object);

	assert_int_equal(json_length(object), n);
	for (size_t i = 0; i < n; i++) {
		assert_true(json_iter_next(&it));
		if (!json_text_is(it.key, keys[i]))
			fail_msg("member %zu is %.*s, expected %s", i, (int)it.key.n, it.key.at,
				 keys[i]);
	}
}

static uint64_t u64_of(const struct json_value *object, const char *key)
{
	uint64_t value = 0;

	assert_true(json_get_u64(json_find(object, key), &value));
	return value;
}

static const struct json_value *element(const struct json_value *array, size_t index)
{
	struct json_iter it = json_iter_over(array);

	for (size_t i = 0; i <= index; i++)
		assert_true(json_iter_next(&it));
	return it.value;
}

static void the_objects_are_named(void **state UNUSED)
{
	_cleanup_(probe_report_deinit) struct probe_report report = fake_report(threads, 2, 1);
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	const struct json_value *root, *other;
	bool ended = false;

	report.object = xstrdup("/usr/bin/program");
	report.offsets_from = xstrdup("/usr/lib/debug/program");
	report.target_ended = true;
	vec_push(&report.others,
		 (struct probe_other){ .path = xstrdup("/lib/a.so"), .use = PROBE_USE_SOME });
	vec_push(&report.others, (struct probe_other){ .path = xstrdup("/lib/b.so"),
						       .unread = xstrdup("no layout") });
	doc = print_and_parse(&report);
	root = json_doc_root(doc);
	assert_true(json_text_is(json_string(json_find(root, "object")), "/usr/bin/program"));
	assert_true(json_text_is(json_string(json_find(root, "offsets_from")),
				 "/usr/lib/debug/program"));
	assert_true(json_get_bool(json_find(root, "target_ended"), &ended) && ended);
	other = element(json_find(root, "other_objects"), 0);
	assert_true(json_text_is(json_string(json_find(other, "object")), "/lib/a.so"));
	assert_true(json_text_is(json_string(json_find(other, "use")), "in-use"));
	assert_null(json_find(other, "error"));
	other = element(json_find(root, "other_objects"), 1);
	assert_true(json_text_is(json_string(json_find(other, "use")), "unknown"));
	assert_true(json_text_is(json_string(json_find(other, "error")), "no layout"));
}

static void one_snapshot_has_no_interval(void **state UNUSED)
{
	static const char *const keys[] = { "schema_version",  "pid",
					    "tool_version",    "started_at_unix_sec",
					    "interrupted",     "evidence",
					    "stopped_threads", "stopped_ns_total",
					    "snapshots" };
	_cleanup_(probe_report_deinit) struct probe_report report = fake_report(threads, 2, 1);
	_cleanup_json_doc_ struct json_doc *doc = print_and_parse(&report);
	const struct json_value *root = json_doc_root(doc);
	bool interrupted = true;

	assert_keys(root, keys, ARRAY_SIZE(keys));
	assert_int_equal(u64_of(root, "schema_version"), 3);
	assert_int_equal(u64_of(root, "pid"), 100);
	assert_int_equal(u64_of(root, "started_at_unix_sec"), 1700000000);
	assert_true(json_get_bool(json_find(root, "interrupted"), &interrupted));
	assert_false(interrupted);
	assert_true(json_text_is(json_string(json_find(root, "tool_version")), KTSTR_VERSION));
	assert_true(json_text_is(json_string(json_find(root, "evidence")), "dwarf"));
	assert_int_equal(json_length(json_find(root, "snapshots")), 1);
}

static void several_snapshots_have_an_interval(void **state UNUSED)
{
	static const char *const keys[] = { "timestamp_unix_sec", "elapsed_since_start_ns",
					    "threads" };
	_cleanup_(probe_report_deinit) struct probe_report report = fake_report(threads, 2, 2);
	_cleanup_json_doc_ struct json_doc *doc = print_and_parse(&report);
	const struct json_value *root = json_doc_root(doc), *second;

	assert_int_equal(u64_of(root, "interval_ms"), 1000);
	assert_int_equal(json_length(json_find(root, "snapshots")), 2);
	second = element(json_find(root, "snapshots"), 1);
	assert_keys(second, keys, ARRAY_SIZE(keys));
	assert_int_equal(u64_of(second, "timestamp_unix_sec"), 1700000001);
	assert_int_equal(u64_of(second, "elapsed_since_start_ns"), 1000000250);
	assert_null(json_find(root, "threads"));
	assert_null(json_find(root, "timestamp_unix_sec"));
}

static void a_thread_has_counters_or_an_error(void **state UNUSED)
{
	static const char *const ok_keys[] = {
		"tid",	 "comm", "start_time_jiffies", "allocated_bytes", "deallocated_bytes",
		"method"
	};
	static const char *const error_keys[] = { "tid", "error", "error_kind" };
	_cleanup_(probe_report_deinit) struct probe_report report = fake_report(threads, 2, 1);
	_cleanup_json_doc_ struct json_doc *doc = print_and_parse(&report);
	const struct json_value *list = json_find(
		element(json_find(json_doc_root(doc), "snapshots"), 0), "threads");

	assert_int_equal(json_length(list), 2);
	assert_keys(element(list, 0), ok_keys, ARRAY_SIZE(ok_keys));
	assert_keys(element(list, 1), error_keys, ARRAY_SIZE(error_keys));
	assert_true(u64_of(element(list, 0), "allocated_bytes") == UINT64_MAX);
	assert_int_equal(u64_of(element(list, 0), "deallocated_bytes"), 512);
	assert_int_equal(u64_of(element(list, 0), "start_time_jiffies"), 77);
	assert_true(json_text_is(json_string(json_find(element(list, 0), "method")),
				 "glibc-thread-list"));
	assert_true(json_text_is(json_string(json_find(element(list, 1), "error_kind")),
				 "ptrace-seize"));
	assert_true(json_text_is(json_string(json_find(element(list, 1), "error")),
				 "tid 43: No such process"));
}

static void a_run_cancelled_before_attaching_has_no_evidence(void **state UNUSED)
{
	_cleanup_(probe_report_deinit) struct probe_report report = fake_report(threads, 2, 0);
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	bool interrupted = false;

	report.evidence = NULL;
	report.interrupted = true;
	doc = print_and_parse(&report);
	assert_null(json_find(json_doc_root(doc), "evidence"));
	assert_true(json_get_bool(json_find(json_doc_root(doc), "interrupted"), &interrupted));
	assert_true(interrupted);
	assert_int_equal(json_length(json_find(json_doc_root(doc), "snapshots")), 0);
}

static void a_hostile_name_is_still_json(void **state UNUSED)
{
	static const struct fake_thread hostile[] = { { .tid = 1, .comm = "\"\\\n\033[1m\xff" } };
	_cleanup_(probe_report_deinit) struct probe_report report = fake_report(hostile, 1, 1);
	_cleanup_json_doc_ struct json_doc *doc = print_and_parse(&report);
	const struct json_value *list = json_find(
		element(json_find(json_doc_root(doc), "snapshots"), 0), "threads");

	assert_true(json_text_is(json_string(json_find(element(list, 0), "comm")),
				 "\"\\\n\033[1m\xef\xbf\xbd"));
}

static const struct fake_thread line_threads[] = {
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

static void numbers_go_to_stdout_and_warnings_to_stderr(void **state UNUSED)
{
	_cleanup_(probe_report_deinit) struct probe_report report = fake_report(line_threads, 3, 2);
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
	_cleanup_(probe_report_deinit) struct probe_report report = fake_report(line_threads, 3, 1);
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

static void a_report_without_snapshots_prints_only_its_head(void **state UNUSED)
{
	_cleanup_(probe_report_deinit) struct probe_report report = fake_report(line_threads, 3, 0);
	_cleanup_close_ int out = memfd_create("out", 0);
	_cleanup_free_ char *text = NULL;

	assert_success(output_lines(&report, out, out));
	text = text_of(out);
	assert_string_equal(text, "pid=100 tool_version=" KTSTR_VERSION "\n");
}

static void a_full_disk_is_an_error_with_its_errno(void **state UNUSED)
{
	_cleanup_(probe_report_deinit) struct probe_report report = fake_report(line_threads, 3, 1);
	_cleanup_close_ int full = open("/dev/full", O_WRONLY), err = memfd_create("err", 0);
	_cleanup_error_ struct error *error = output_lines(&report, full, err);

	assert_non_null(error);
	assert_int_equal(error_errno(error), ENOSPC);
}

static void a_closed_stderr_does_not_lose_the_numbers(void **state UNUSED)
{
	_cleanup_(probe_report_deinit) struct probe_report report = fake_report(line_threads, 3, 1);
	_cleanup_close_ int out = memfd_create("out", 0);
	_cleanup_free_ char *text = NULL;

	assert_success(output_lines(&report, out, -1));
	text = text_of(out);
	assert_contains(text, "tid=44");
}

static void warnings_list_only_the_failed_threads(void **state UNUSED)
{
	_cleanup_(probe_report_deinit) struct probe_report report = fake_report(line_threads, 3, 1);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	output_warnings(&report, &text);
	assert_string_equal(strbuf_str(&text),
			    "warning: tid 43 comm=gone [ptrace-seize]: tid 43: No such process\n");
}

static const struct fake_thread table_threads[] = {
	{ .tid = 42,
	  .comm = "main",
	  .start_time_jiffies = 7,
	  .allocated_bytes = 16 << 20,
	  .deallocated_bytes = 1 << 20 },
	{ .tid = 43, .comm = "gone", .error_errno = ESRCH },
	{ .tid = 44, .start_time_jiffies = 7, .allocated_bytes = 1024, .deallocated_bytes = 3072 },
};

static char *format(const struct probe_report *report, size_t columns)
{
	struct strbuf text = STRBUF_INIT;

	output_table(report, &(struct text_look){ .columns = columns }, &text);
	return strbuf_take(&text);
}

static void one_snapshot_shows_bytes_and_their_difference(void **state UNUSED)
{
	_cleanup_(probe_report_deinit) struct probe_report report = fake_report(table_threads, 3,
										1);
	_cleanup_free_ char *text = format(&report, 80);

	assert_string_equal(text, "pid 100, evidence: dwarf, no thread was stopped\n"
				  "TID  NAME  ALLOCATED    FREED  DIFFERENCE\n"
				  " 42  main   16.0 MiB  1.0 MiB    15.0 MiB\n"
				  " 44  -       1.0 KiB  3.0 KiB    -2.0 KiB\n");
}

static void several_snapshots_add_rates_over_the_whole_time(void **state UNUSED)
{
	struct probe_report report;
	_cleanup_free_ char *text = NULL;

	fake_engine.grows_by = 1 << 20;
	report = fake_report(table_threads, 1, 3);
	fake_engine.grows_by = 0;
	text = format(&report, 80);
	assert_string_equal(
		text, "pid 100, 3 snapshots in 2.0 s, evidence: dwarf, no thread was stopped\n"
		      "TID  NAME  ALLOCATED    FREED  DIFFERENCE  ALLOC RATE  FREE RATE\n"
		      " 42  main   18.0 MiB  1.0 MiB    17.0 MiB   1.0 MiB/s      0 B/s\n");
	probe_report_deinit(&report);
}

static void a_number_given_to_a_new_thread_is_another_row(void **state UNUSED)
{
	_cleanup_(probe_report_deinit) struct probe_report report = fake_report(table_threads, 1,
										2);
	_cleanup_free_ char *text = NULL;

	report.snapshots.at[1].threads[0].start_time_jiffies = 8;
	report.snapshots.at[1].threads[0].allocated_bytes = 1 << 20;
	text = format(&report, 80);
	assert_contains(text, " 42  main   16.0 MiB  1.0 MiB    15.0 MiB           -          -\n"
			      " 42  main    1.0 MiB  1.0 MiB         0 B           -          -\n");
}

static void a_counter_that_shrank_has_no_rate(void **state UNUSED)
{
	_cleanup_(probe_report_deinit) struct probe_report report = fake_report(table_threads, 1,
										2);
	_cleanup_free_ char *text = NULL;

	report.snapshots.at[1].threads[0].allocated_bytes = 5;
	text = format(&report, 80);
	assert_contains(text, " 42  main        5 B  1.0 MiB    -1.0 MiB           -      0 B/s\n");
}

static void the_table_head_reports_stops_and_interruption(void **state UNUSED)
{
	_cleanup_(probe_report_deinit) struct probe_report report = fake_report(table_threads, 1,
										0);
	_cleanup_free_ char *text = NULL;

	report.stopped_threads = 8;
	report.stopped_ns_total = 250000;
	report.interrupted = true;
	report.evidence = NULL;
	text = format(&report, 80);
	assert_string_equal(text, "pid 100, 8 stops, 250.0 us in all, interrupted\n");
}

static void a_narrow_terminal_cuts_the_name_and_no_number(void **state UNUSED)
{
	static const struct fake_thread named[] = {
		{ .tid = 42, .comm = "fifteen-letters", .allocated_bytes = 2048 },
	};
	_cleanup_(probe_report_deinit) struct probe_report report = fake_report(named, 1, 1);
	_cleanup_free_ char *text = format(&report, 40);

	assert_contains(text, "\n 42  fift…    2.0 KiB    0 B     2.0 KiB\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_objects_are_named),
		cmocka_unit_test(one_snapshot_has_no_interval),
		cmocka_unit_test(several_snapshots_have_an_interval),
		cmocka_unit_test(a_thread_has_counters_or_an_error),
		cmocka_unit_test(a_run_cancelled_before_attaching_has_no_evidence),
		cmocka_unit_test(a_hostile_name_is_still_json),
		cmocka_unit_test(numbers_go_to_stdout_and_warnings_to_stderr),
		cmocka_unit_test(both_streams_in_one_file_keep_their_order),
		cmocka_unit_test(a_name_cannot_break_its_line),
		cmocka_unit_test(a_report_without_snapshots_prints_only_its_head),
		cmocka_unit_test(a_full_disk_is_an_error_with_its_errno),
		cmocka_unit_test(a_closed_stderr_does_not_lose_the_numbers),
		cmocka_unit_test(warnings_list_only_the_failed_threads),
		cmocka_unit_test(one_snapshot_shows_bytes_and_their_difference),
		cmocka_unit_test(several_snapshots_add_rates_over_the_whole_time),
		cmocka_unit_test(a_number_given_to_a_new_thread_is_another_row),
		cmocka_unit_test(a_counter_that_shrank_has_no_rate),
		cmocka_unit_test(the_table_head_reports_stops_and_interruption),
		cmocka_unit_test(a_narrow_terminal_cuts_the_name_and_no_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
