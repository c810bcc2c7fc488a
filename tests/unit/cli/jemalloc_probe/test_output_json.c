// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/jemalloc_probe/jemalloc_probe.h"

#include "base/alloc.h"
#include "fake_engine.h"
#include "json/doc.h"
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_objects_are_named),
		cmocka_unit_test(one_snapshot_has_no_interval),
		cmocka_unit_test(several_snapshots_have_an_interval),
		cmocka_unit_test(a_thread_has_counters_or_an_error),
		cmocka_unit_test(a_run_cancelled_before_attaching_has_no_evidence),
		cmocka_unit_test(a_hostile_name_is_still_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
