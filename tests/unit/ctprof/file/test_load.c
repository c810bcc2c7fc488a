// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/file/load.h"

#include "files.h"
#include "foreign_snapshot.h"

static void a_foreign_snapshot_loads_and_its_flags_decide_presence(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s = { 0 };
	const struct metric_thread_sample *leader, *other;
	size_t n_in_file = 0;

	assert_success(load_json(foreign_snapshot, &s));
	assert_int_equal(s.schema_version, 0);
	assert_false(s.has_presence);
	assert_int_equal(s.captured_at_unix_ns, 1700000000000000000);
	assert_false(s.user_hz.known);
	assert_false(s.captured_at_boottime_ns.known || s.capture_end_boottime_ns.known);
	assert_false(s.pid_namespace.known || s.time_namespace.known);
	assert_true(s.threads.at[0].taskstats_ok && !s.threads.at[1].taskstats_ok);
	assert_int_equal(s.boot_id, 0);
	assert_int_equal(s.threads.n, 2);
	leader = &s.threads.at[0];
	other = &s.threads.at[1];
	/* Every value without a flag counts as measured. */
	for (int i = 0; i < METRIC_N; i++) {
		enum metric_source source = metric_rows[i].source;
		_cleanup_free_ char *key = xasprintf("\"%s\":", metric_rows[i].name);
		bool flagged = source == METRIC_SOURCE_DELAY_CPU ||
			       source == METRIC_SOURCE_DELAY_BLOCK ||
			       source == METRIC_SOURCE_XACCT || source == METRIC_SOURCE_HEAP;

		if (source == METRIC_SOURCE_NONE || !strstr(foreign_snapshot, key))
			continue;
		n_in_file++;
		assert_int_equal(metric_sample_knows(leader, (enum metric_id)i),
				 source != METRIC_SOURCE_DELAY_BLOCK);
		assert_int_equal(metric_sample_knows(other, (enum metric_id)i),
				 !flagged && i != METRIC_NR_THREADS);
	}
	assert_int_equal(n_in_file, 86);
	assert_true(leader->sources & METRIC_SOURCE_BIT(SMAPS));
	assert_false(other->sources & METRIC_SOURCE_BIT(SMAPS));
	assert_int_equal(s.smaps.at[leader->smaps].rows.n, 2);
	assert_int_equal(leader->values[METRIC_RUN_TIME_NS], 1001);
	assert_int_equal((int64_t)leader->values[METRIC_NICE], -5);
	assert_int_equal(s.cgroups.n, 1);
	assert_true(s.taskstats.known);
	assert_int_equal(s.taskstats.esrch, 1);
	assert_true(s.pressure.resources[PROCFS_PRESSURE_IRQ].known);
}

static void sentinel_values_of_other_tools_load_as_unknown(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s = { 0 };

	assert_success(
		load_json("{\"captured_at_unix_ns\":1,\"threads\":[{\"tid\":1,\"tgid\":1,"
			  "\"policy\":\"\",\"state\":\"~\",\"cpu_affinity\":[],\"minflt\":0}]}",
			  &s));
	assert_false(metric_sample_knows(&s.threads.at[0], METRIC_POLICY));
	assert_false(metric_sample_knows(&s.threads.at[0], METRIC_STATE));
	assert_false(metric_sample_knows(&s.threads.at[0], METRIC_CPU_AFFINITY));
	assert_int_equal(s.threads.at[0].cpu_affinity, METRIC_SAMPLE_NO_ENTRY);
	assert_true(metric_sample_knows(&s.threads.at[0], METRIC_MINFLT));
}

static void a_minimal_snapshot_loads_and_unknown_members_are_skipped(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s = { 0 };

	assert_success(
		load_json("{\"later\":{\"a\":[1,2]},\"captured_at_unix_ns\":5,\"threads\":[],"
			  "\"host\":{},\"more\":null}",
			  &s));
	assert_int_equal(s.threads.n, 0);
	assert_int_equal(s.captured_at_unix_ns, 5);
}

static void json_that_is_not_a_snapshot_is_refused(void **state UNUSED)
{
	assert_refused("{}", "threads: missing; is this a snapshot?");
	assert_refused("{\"threads\":[]}", "captured_at_unix_ns: missing; is this a snapshot?");
	assert_refused("{\"captured_at_unix_ns\":1,\"threads\":5}", "threads: expected an array");
	assert_refused("{\"captured_at_unix_ns\":1,\"threads\":null}",
		       "threads: expected an array");
	assert_refused("{\"captured_at_unix_ns\":1,\"threads\":{}}", "threads: expected an array");
	assert_refused("{\"captured_at_unix_ns\":1,\"threads\":{\"a\":1}}",
		       "threads: expected an array");
	assert_refused("{\"threads\":[],\"cgroup_stats\":[]}", "cgroup_stats: expected an object");
	assert_refused("{\"threads\":[],\"cgroup_stats\":[1]}", "cgroup_stats: expected an object");
	assert_refused("{\"captured_at_unix_ns\":\"x\"}", "captured_at_unix_ns: expected a number");
	assert_refused("{\"threads\":[{\"tid\":}]}", "threads[0]: not JSON");
	assert_refused("{\"host\":[}]}", "host: not JSON");
	assert_refused("{\"host\":5}", "host");
	assert_refused("{\"host\":{\"arch\":5}}", "host.arch");
	assert_refused("{\"cgroup_stats\":{\"/a\":{]}}}", "cgroup_stats./a: not JSON");
	assert_refused("{\"captured_at_unix_ns\":1,", "not JSON: it ends after 25 bytes");
}

static void duplicate_members_are_refused(void **state UNUSED)
{
	assert_refused("{\"captured_at_unix_ns\":1,\"captured_at_unix_ns\":1}",
		       "captured_at_unix_ns: given twice");
	assert_refused("{\"threads\":[],\"threads\":[]}", "threads: given twice");
	assert_refused(
		"{\"captured_at_unix_ns\":1,\"threads\":[],\"cgroup_stats\":{\"/a\":{},\"/b\":{},\"/a\":{}}}",
		"cgroup_stats./a: given twice");
}

static void threads_and_cgroups_are_put_in_order(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s = { 0 };
	static const uint32_t tids[] = { 5, 9, 3, 7 };

	assert_success(
		load_json("{\"captured_at_unix_ns\":1,\"threads\":[{\"tid\":7,\"tgid\":6},"
			  "{\"tid\":9,\"tgid\":1},{\"tid\":3,\"tgid\":2},{\"tid\":5,\"tgid\":1}],"
			  "\"cgroup_stats\":{\"/b\":{},\"/a\":{}}}",
			  &s));
	for (size_t i = 0; i < ARRAY_SIZE(tids); i++)
		assert_int_equal(s.threads.at[i].tid, tids[i]);
	assert_string_equal(intern_text(&s.strings, s.cgroups.at[0].path), "/a");
}

static void append_threads(struct strbuf *json, unsigned int n, const char *members)
{
	strbuf_append(json, "{\"captured_at_unix_ns\":1,\"threads\":[");
	for (unsigned int i = 1; i <= n; i++)
		strbuf_appendf(json, "%s{\"tid\":%u,\"tgid\":1%s}", i > 1 ? "," : "", i, members);
	strbuf_append(json, "]}");
}

/* The least memory with which a text loads; one byte less is too little. */
static uint64_t least_memory(const char *json)
{
	uint64_t low = 0, high = ENOUGH_MEMORY;

	while (low < high) {
		uint64_t middle = (low + high) / 2;
		_cleanup_ctprof_snapshot_ struct ctprof_snapshot s = { 0 };
		_cleanup_error_ struct error *err = load_json_with(json, middle, &s);

		if (err) {
			assert_string_equal(error_tag(err), "limit");
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return low;
}

static void loading_is_limited_by_the_memory_it_keeps(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf few = STRBUF_INIT, many = STRBUF_INIT, named = STRBUF_INIT;
	_cleanup_strbuf_ struct strbuf mapped = STRBUF_INIT;
	uint64_t base, for_many;

	append_threads(&few, 10, "");
	append_threads(&many, 110, "");
	append_threads(&named, 10, ",\"comm\":\"a name that stands there once for all of them\"");
	append_threads(&mapped, 10, ",\"smaps_rollup_kib\":{\"a\":1,\"b\":2}");
	base = least_memory(strbuf_str(&few));
	for_many = least_memory(strbuf_str(&many));
	assert_true(for_many - base >= 100 * sizeof(struct metric_thread_sample));
	assert_true(for_many - base <= 100 * 3 * sizeof(struct metric_thread_sample));
	/* Equal names cost once, tables each time. */
	assert_true(least_memory(strbuf_str(&named)) > base);
	assert_true(least_memory(strbuf_str(&named)) < base + 200);
	assert_true(least_memory(strbuf_str(&mapped)) >=
		    base + 10 * 2 * sizeof(struct procfs_named_reading));
}

static void endless_blanks_reach_the_memory_limit(void **state UNUSED)
{
	_cleanup_ctprof_loader_ struct ctprof_loader loader;
	struct error *err = NULL;
	char blanks[1024];
	int chunks = 0;

	memset(blanks, ' ', sizeof(blanks));
	ctprof_loader_init(&loader, 64 << 10);
	while (!err && chunks++ < 100000)
		err = ctprof_loader_feed(&loader, blanks, sizeof(blanks));
	assert_non_null(err);
	assert_string_equal(error_tag(err), "limit");
	error_free(err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_foreign_snapshot_loads_and_its_flags_decide_presence),
		cmocka_unit_test(sentinel_values_of_other_tools_load_as_unknown),
		cmocka_unit_test(a_minimal_snapshot_loads_and_unknown_members_are_skipped),
		cmocka_unit_test(json_that_is_not_a_snapshot_is_refused),
		cmocka_unit_test(duplicate_members_are_refused),
		cmocka_unit_test(threads_and_cgroups_are_put_in_order),
		cmocka_unit_test(loading_is_limited_by_the_memory_it_keeps),
		cmocka_unit_test(endless_blanks_reach_the_memory_limit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
