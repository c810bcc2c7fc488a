// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/file/record.h"

#include "files.h"

#define CGROUP(members) \
	"{\"captured_at_unix_ns\":1,\"threads\":[],\"cgroup_stats\":{\"/a b\":{" members "}}}"

static char *written(const struct ctprof_snapshot *s, const struct procfs_cgroup_stats *stats)
{
	struct strbuf text = STRBUF_INIT;
	struct json_writer w = json_writer_to(&text, JSON_COMPACT);

	ctprof_cgroup_stats_write(s, stats, &w);
	return strbuf_take(&text);
}

static void an_unlimited_value_differs_from_a_missing_file(void **state UNUSED)
{
	struct procfs_cgroup_stats stats = { .known = true };
	_cleanup_free_ char *text = NULL, *json = NULL;
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s, back = { 0 };
	const struct procfs_cgroup_stats *loaded;

	ctprof_snapshot_init(&s);
	stats.memory_max = (struct procfs_reading){ true, true, 0 };
	stats.memory_low = (struct procfs_reading){ true, true, 0 };
	stats.pids_max = (struct procfs_reading){ true, false, 0 };
	text = written(&s, &stats);
	assert_contains(text,
			"\"max\":null,\"high\":null,\"low\":18446744073709551615,\"min\":null");
	json = xasprintf("{\"captured_at_unix_ns\":1,\"threads\":[],\"cgroup_stats\":{\"/\":%s}}",
			 text);
	assert_success(load_json(json, &back));
	loaded = &back.cgroups.at[0].stats;
	assert_true(loaded->memory_max.unlimited);
	assert_false(loaded->memory_high.known);
	assert_true(loaded->memory_low.unlimited);
	assert_false(loaded->memory_min.known);
	assert_true(loaded->pids_max.known && !loaded->pids_max.unlimited);
	assert_false(loaded->cpu_usage_usec.known);
	assert_false(loaded->memory_stat.known);
	assert_false(loaded->cpu_weight.known);
	assert_false(loaded->cpu_weight_nice.known);
	assert_false(loaded->pressure.resources[PROCFS_PRESSURE_CPU].known);
}

/* The root cgroup has no cpu.max; readers of the format expect the kernel's period then. */
static void absent_period_is_written_as_the_kernels_default(void **state UNUSED)
{
	struct procfs_cgroup_stats stats = { .known = true };
	_cleanup_free_ char *text = NULL, *json = NULL;
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s, back = { 0 };

	ctprof_snapshot_init(&s);
	text = written(&s, &stats);
	assert_contains(text, "\"max_quota_us\":null,\"max_period_us\":100000");
	assert_contains(text, "\"cpu.max_period_us\"");
	json = xasprintf("{\"captured_at_unix_ns\":1,\"threads\":[],\"cgroup_stats\":{\"/\":%s}}",
			 text);
	assert_success(load_json(json, &back));
	assert_false(back.cgroups.at[0].stats.cpu_max_period_us.known);
	assert_true(back.cgroups.at[0].stats.cpu_max_period_us.value == 0);
}

/* What others wrote has null where there is no limit, and also where there is no file. */
static void without_known_flags_null_is_unknown_and_0_is_0(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s = { 0 };
	const struct procfs_cgroup_stats *stats;

	assert_success(load_json(
		CGROUP("\"cpu\":{\"usage_usec\":0,\"nr_throttled\":0,\"throttled_usec\":0,"
		       "\"max_quota_us\":null,\"max_period_us\":100000,\"weight\":null,"
		       "\"weight_nice\":-3},\"memory\":{\"current\":5,\"max\":7,\"high\":null,"
		       "\"low\":18446744073709551615,\"min\":null,\"stat\":{},\"events\":{\"oom\":1}},"
		       "\"pids\":{\"current\":null,\"max\":null}"),
		&s));
	assert_string_equal(intern_text(&s.strings, s.cgroups.at[0].path), "/a b");
	stats = &s.cgroups.at[0].stats;
	assert_true(stats->known);
	assert_true(stats->cpu_usage_usec.known);
	assert_false(stats->cpu_max_quota_us.known);
	assert_false(stats->cpu_weight.known);
	assert_int_equal((int64_t)stats->cpu_weight_nice.value, -3);
	assert_int_equal(stats->memory_max.value, 7);
	assert_true(stats->memory_low.unlimited);
	assert_true(stats->memory_stat.known);
	assert_int_equal(stats->memory_events.rows.n, 1);
	assert_false(stats->memory_peak.known);
	assert_false(stats->io_stat.known);
}

static void a_cgroup_saved_as_unknown_loads_as_unknown(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s = { 0 };

	assert_success(load_json(CGROUP("\"known\":false"), &s));
	assert_false(s.cgroups.at[0].stats.known);
}

static void members_of_a_wrong_type_are_refused_with_their_path(void **state UNUSED)
{
	assert_refused(CGROUP("\"cpu\":5"), "cgroup_stats./a b.cpu: expected an object");
	assert_refused(CGROUP("\"cpu\":{\"usage_usec\":\"x\"}"),
		       "cgroup_stats./a b.cpu.usage_usec: expected a number");
	assert_refused(CGROUP("\"memory\":{\"max\":\"max\"}"),
		       "cgroup_stats./a b.memory.max: expected a number");
	assert_refused(CGROUP("\"memory\":{\"stat\":{\"anon\":\"1\"},\"events\":{\"a\":1}}"),
		       "cgroup_stats./a b.memory.stat.anon: expected a number");
	assert_refused(CGROUP("\"memory\":{\"stat\":{\"anon\":1},\"events\":5}"),
		       "memory.events: expected an object");
	assert_refused(CGROUP("\"cpu\":{\"weight_nice\":3000000000}"),
		       "cpu.weight_nice: 3000000000 is not");
	assert_refused(CGROUP("\"psi\":{\"cpu\":5}"),
		       "cgroup_stats./a b.psi.cpu: expected an object");
	assert_refused(CGROUP("\"known\":5"), "cgroup_stats./a b.known: expected true or false");
	assert_refused("{\"captured_at_unix_ns\":1,\"threads\":[],\"cgroup_stats\":{\"/\":null}}",
		       "cgroup_stats./: expected an object");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_unlimited_value_differs_from_a_missing_file),
		cmocka_unit_test(absent_period_is_written_as_the_kernels_default),
		cmocka_unit_test(without_known_flags_null_is_unknown_and_0_is_0),
		cmocka_unit_test(a_cgroup_saved_as_unknown_loads_as_unknown),
		cmocka_unit_test(members_of_a_wrong_type_are_refused_with_their_path),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
