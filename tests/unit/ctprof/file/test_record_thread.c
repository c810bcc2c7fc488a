// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/file/record.h"

#include "files.h"

#define THREAD(members) \
	"{\"captured_at_unix_ns\":1,\"threads\":[{\"tid\":5,\"tgid\":4" members "}]}"

static void absent_values_are_written_as_the_format_has_them(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct json_writer w = json_writer_to(&text, JSON_COMPACT);
	struct metric_thread_sample sample = { .tid = 5,
					       .tgid = 4,
					       .cpu_affinity = METRIC_SAMPLE_NO_ENTRY,
					       .smaps = METRIC_SAMPLE_NO_ENTRY };
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;

	ctprof_snapshot_init(&s);
	ctprof_thread_write(&s, &sample, 9, &w);
	assert_contains(strbuf_str(&text), "\"comm\":\"\"");
	assert_contains(strbuf_str(&text), "\"policy\":\"\"");
	assert_contains(strbuf_str(&text), "\"nice\":0,");
	assert_contains(strbuf_str(&text), "\"cpu_affinity\":[]");
	assert_contains(strbuf_str(&text), "\"state\":\"~\"");
	assert_contains(strbuf_str(&text), "\"ext_enabled\":false");
	assert_contains(strbuf_str(&text), "\"smaps_rollup_kib\":{}");
	assert_contains(strbuf_str(&text), "\"jemalloc_measured\":false");
	assert_contains(strbuf_str(&text), "\"presence\":9");
}

/* The flags say what the bits say, each of its own family. */
static void flags_are_written_from_the_bits(void **state UNUSED)
{
	static const struct {
		uint32_t sources;
		const char *text;
	} rows[] = {
		{ 0,
		  "\"taskstats_measured\":true,\"cpu_delay_active\":false,\"delay_block_active\":false,\"xacct_active\":false,\"jemalloc_measured\":false" },
		{ METRIC_SOURCE_BIT(DELAY_CPU),
		  "\"taskstats_measured\":true,\"cpu_delay_active\":true,\"delay_block_active\":false,\"xacct_active\":false,\"jemalloc_measured\":false" },
		{ METRIC_SOURCE_BIT(DELAY_BLOCK),
		  "\"taskstats_measured\":true,\"cpu_delay_active\":false,\"delay_block_active\":true,\"xacct_active\":false,\"jemalloc_measured\":false" },
		{ METRIC_SOURCE_BIT(XACCT) | METRIC_SOURCE_BIT(HEAP),
		  "\"taskstats_measured\":true,\"cpu_delay_active\":false,\"delay_block_active\":false,\"xacct_active\":true,\"jemalloc_measured\":true" },
	};
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;

	ctprof_snapshot_init(&s);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
		struct json_writer w = json_writer_to(&text, JSON_COMPACT);
		struct metric_thread_sample sample = full_sample(&s, 5, 5);

		sample.sources = rows[i].sources;
		sample.taskstats_ok = true;
		ctprof_thread_write(&s, &sample, 0, &w);
		assert_contains(strbuf_str(&text), rows[i].text);
	}
}

static void members_may_come_in_any_order_and_differ(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s = { 0 };

	assert_success(
		load_json("{\"captured_at_unix_ns\":1,\"threads\":["
			  "{\"tid\":1,\"tgid\":1,\"minflt\":10,\"majflt\":11},"
			  "{\"majflt\":21,\"new\":{\"a\":[]},\"tgid\":1,\"minflt\":20,\"tid\":2},"
			  "{\"tgid\":1,\"tid\":3}]}",
			  &s));
	assert_int_equal(s.threads.n, 3);
	assert_int_equal(s.threads.at[0].values[METRIC_MINFLT], 10);
	assert_int_equal(s.threads.at[1].values[METRIC_MINFLT], 20);
	assert_int_equal(s.threads.at[1].values[METRIC_MAJFLT], 21);
	assert_false(metric_sample_knows(&s.threads.at[2], METRIC_MINFLT));
}

static void a_policy_without_a_name_comes_back(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s = { 0 };

	assert_success(load_json(THREAD(",\"policy\":\"SCHED_UNKNOWN(42)\""), &s));
	assert_int_equal(s.threads.at[0].values[METRIC_POLICY], 42);
}

static void members_of_a_wrong_type_are_refused_with_their_path(void **state UNUSED)
{
	assert_refused(THREAD(",\"nice\":\"x\""),
		       "threads[0].nice: expected a number, found a string");
	assert_refused(THREAD(",\"nice\":-3000000000"),
		       "threads[0].nice: -3000000000 is not a whole number from");
	assert_refused(THREAD(",\"minflt\":-1"), "threads[0].minflt: -1 is not a whole number");
	assert_refused(THREAD(",\"comm\":5"), "threads[0].comm: expected a string");
	assert_refused(THREAD(",\"state\":\"SS\""), "threads[0].state: 'SS' is not one letter");
	assert_refused(THREAD(",\"policy\":\"fast\""),
		       "threads[0].policy: 'fast' is not a scheduling policy");
	assert_refused(THREAD(",\"ext_enabled\":1"),
		       "threads[0].ext_enabled: expected true or false");
	assert_refused(THREAD(",\"cpu_affinity\":\"0-3\""),
		       "threads[0].cpu_affinity: expected an array");
	assert_refused(THREAD(",\"cpu_affinity\":[0,\"1\"]"),
		       "threads[0].cpu_affinity[1]: expected a number");
	assert_refused(THREAD(",\"cpu_affinity\":[1,1]"),
		       "threads[0].cpu_affinity[1]: CPUs must ascend");
	assert_refused(THREAD(",\"cpu_affinity\":[null]"),
		       "threads[0].cpu_affinity[0]: expected a number");
	assert_refused(THREAD(",\"smaps_rollup_kib\":{\"Rss\":1.5}"),
		       "threads[0].smaps_rollup_kib.Rss: 1.5 is not");
	assert_refused(THREAD(",\"smaps_rollup_kib\":{\"a\":1},\"smaps_rollup_kib\":{\"b\":1}"),
		       "threads[0].smaps_rollup_kib: given twice");
	assert_refused(THREAD(",\"jemalloc_measured\":\"yes\""),
		       "threads[0].jemalloc_measured: expected true or false");
	assert_refused(THREAD(",\"tid\":4294967296"),
		       "threads[0].tid: 4294967296 is not a whole number from 0 to 4294967295");
}

static void a_thread_has_ids(void **state UNUSED)
{
	assert_refused("{\"captured_at_unix_ns\":1,\"threads\":[{\"tid\":5}]}",
		       "threads[0]: has no tgid");
	assert_refused("{\"captured_at_unix_ns\":1,\"threads\":[{\"tgid\":5}]}",
		       "threads[0]: has no tid");
	assert_refused("{\"captured_at_unix_ns\":1,\"threads\":[5]}",
		       "threads[0]: expected an object");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(absent_values_are_written_as_the_format_has_them),
		cmocka_unit_test(flags_are_written_from_the_bits),
		cmocka_unit_test(members_may_come_in_any_order_and_differ),
		cmocka_unit_test(a_policy_without_a_name_comes_back),
		cmocka_unit_test(members_of_a_wrong_type_are_refused_with_their_path),
		cmocka_unit_test(a_thread_has_ids),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
