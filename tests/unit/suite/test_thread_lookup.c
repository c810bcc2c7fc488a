// SPDX-License-Identifier: GPL-2.0-or-later
#include <ktstr/ktstr.h>

#include "suite/metrics_of.h"
#include "unit.h"

/* As ktstr-jemalloc-probe --json writes it: 900 was read, 901 died meanwhile, 902 is half known. */
static const char probe_said[] =
	"{\"schema_version\":3,\"pid\":900,\"tool_version\":\"0.1.0\","
	"\"started_at_unix_sec\":1700000000,\"interval_ms\":50,\"interrupted\":false,\"snapshots\":["
	"{\"timestamp_unix_sec\":1700000000,\"elapsed_since_start_ns\":1000,\"threads\":["
	"{\"tid\":900,\"comm\":\"worker\",\"start_time_jiffies\":5,"
	"\"allocated_bytes\":16777216,\"deallocated_bytes\":4096},"
	"{\"tid\":901,\"comm\":\"helper\",\"error\":\"gone\",\"error_kind\":\"process-vm-readv\"},"
	"{\"tid\":902,\"allocated_bytes\":1}]},"
	"{\"timestamp_unix_sec\":1700000001,\"elapsed_since_start_ns\":2000,\"threads\":["
	"{\"tid\":900,\"allocated_bytes\":16777217,\"deallocated_bytes\":0}]}]}\n";

static void a_thread_is_found_with_its_counters(void **state UNUSED)
{
	struct ktstr_metrics m = metrics_of(probe_said, "");
	struct ktstr_thread thread;

	assert_int_equal(ktstr_find_thread(&m, 0, 900, &thread), KTSTR_FOUND);
	assert_int_equal(thread.allocated_bytes, 16777216);
	assert_true(thread.has_deallocated);
	assert_int_equal(thread.deallocated_bytes, 4096);
	assert_int_equal(ktstr_find_thread(&m, 1, 900, &thread), KTSTR_FOUND);
	assert_int_equal(thread.allocated_bytes, 16777217);
	suite_metrics_deinit(&m);
}

static void a_counter_that_was_not_read_is_not_zero(void **state UNUSED)
{
	struct ktstr_metrics m = metrics_of(probe_said, "");
	struct ktstr_thread thread = { .has_deallocated = true };

	assert_int_equal(ktstr_find_thread(&m, 0, 902, &thread), KTSTR_FOUND);
	assert_int_equal(thread.allocated_bytes, 1);
	assert_false(thread.has_deallocated);
	suite_metrics_deinit(&m);
}

static void an_error_entry_is_a_thread_without_bytes(void **state UNUSED)
{
	struct ktstr_metrics m = metrics_of(probe_said, "");
	struct ktstr_thread thread = { .allocated_bytes = 77 };

	assert_int_equal(ktstr_find_thread(&m, 0, 901, &thread), KTSTR_MISSING_BYTES);
	assert_int_equal(thread.allocated_bytes, 77);
	suite_metrics_deinit(&m);
}

static void absent_threads_and_snapshots_are_absent(void **state UNUSED)
{
	struct ktstr_metrics m = metrics_of(probe_said, ""), none = metrics_of("", "");
	struct ktstr_thread thread;

	assert_int_equal(ktstr_find_thread(&m, 0, 903, &thread), KTSTR_TID_ABSENT);
	assert_int_equal(ktstr_find_thread(&m, 1, 901, &thread), KTSTR_TID_ABSENT);
	assert_int_equal(ktstr_find_thread(&m, 2, 900, &thread), KTSTR_TID_ABSENT);
	assert_int_equal(ktstr_find_thread(&m, 0, -1, &thread), KTSTR_TID_ABSENT);
	assert_int_equal(ktstr_find_thread(&none, 0, 900, &thread), KTSTR_TID_ABSENT);
	suite_metrics_deinit(&m);
	suite_metrics_deinit(&none);
}

static void threads_and_snapshots_are_counted(void **state UNUSED)
{
	struct ktstr_metrics m = metrics_of(probe_said, ""), none = metrics_of("", "");

	assert_int_equal(ktstr_thread_count(&m), 3);
	assert_int_equal(ktstr_snapshot_count(&m), 2);
	assert_int_equal(ktstr_thread_count(&none), 0);
	assert_int_equal(ktstr_snapshot_count(&none), 0);
	suite_metrics_deinit(&m);
	suite_metrics_deinit(&none);
}

/* Threads with the tids 1, 2, 3 … */
static struct ktstr_metrics wide(int n)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	strbuf_append(&text, "{\"snapshots\":[{\"timestamp_unix_sec\":1,\"threads\":[");
	for (int i = 1; i <= n; i++)
		strbuf_appendf(&text, "%s{\"tid\":%d,\"allocated_bytes\":%d}", i > 1 ? "," : "", i,
			       i * 10);
	strbuf_append(&text, "]}]}");
	return metrics_of(strbuf_str(&text), "");
}

static void the_search_ends_at_its_cap_and_says_so(void **state UNUSED)
{
	struct ktstr_metrics m = wide(1025), full = wide(1024), below = wide(1023);
	struct ktstr_thread thread;

	assert_int_equal(ktstr_find_thread(&m, 0, 1024, &thread), KTSTR_FOUND);
	assert_int_equal(thread.allocated_bytes, 10240);
	assert_int_equal(ktstr_find_thread(&m, 0, 1025, &thread), KTSTR_CAP_EXCEEDED);
	assert_int_equal(ktstr_thread_count(&m), 1024);
	assert_int_equal(ktstr_find_thread(&full, 0, 5000, &thread), KTSTR_CAP_EXCEEDED);
	assert_int_equal(ktstr_find_thread(&below, 0, 5000, &thread), KTSTR_TID_ABSENT);
	suite_metrics_deinit(&m);
	suite_metrics_deinit(&full);
	suite_metrics_deinit(&below);
}

static void byte_counts_that_are_not_exact_are_missing(void **state UNUSED)
{
	struct ktstr_metrics m = metrics_of(
		"{\"snapshots\":[{\"threads\":[{\"tid\":5,\"allocated_bytes\":9007199254740993}]}]}",
		"");
	struct ktstr_thread thread;

	assert_int_equal(ktstr_find_thread(&m, 0, 5, &thread), KTSTR_MISSING_BYTES);
	suite_metrics_deinit(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thread_is_found_with_its_counters),
		cmocka_unit_test(a_counter_that_was_not_read_is_not_zero),
		cmocka_unit_test(an_error_entry_is_a_thread_without_bytes),
		cmocka_unit_test(absent_threads_and_snapshots_are_absent),
		cmocka_unit_test(threads_and_snapshots_are_counted),
		cmocka_unit_test(the_search_ends_at_its_cap_and_says_so),
		cmocka_unit_test(byte_counts_that_are_not_exact_are_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
