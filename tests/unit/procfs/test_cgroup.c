// SPDX-License-Identifier: GPL-2.0-or-later
#include "procfs/cgroup.h"

#include "staged_root.h"

static void put(const char *root, const char *path, const char *text)
{
	staged_file(root, path, text, strlen(text));
}

static uint64_t value_of(const struct intern *names, const struct procfs_named_readings *readings,
			 const char *key)
{
	const struct procfs_named_reading *row;
	uint32_t id;

	assert_true(intern_find(names, key, &id));
	row = procfs_named_readings_find(readings, id);
	assert_non_null(row);
	return row->value;
}

static void a_full_cgroup_is_read_whole(void **state UNUSED)
{
	char *root = staged_root_new();
	_cleanup_free_ char *path = xasprintf("%s/g", root);
	_cleanup_intern_ struct intern names;
	struct procfs_cgroup_stats s;

	intern_init(&names);
	put(root, "/g/cpu.stat",
	    "usage_usec 900\nuser_usec 600\nsystem_usec 300\ncore_sched.force_idle_usec 8\n"
	    "nr_periods 11\nnr_throttled 4\nthrottled_usec 77\nnr_bursts 2\nburst_usec 5\n");
	put(root, "/g/cpu.max", "50000 200000\n");
	put(root, "/g/cpu.weight", "100\n");
	put(root, "/g/cpu.weight.nice", "-5\n");
	put(root, "/g/memory.current", "4096\n");
	put(root, "/g/memory.peak", "8192\n");
	put(root, "/g/memory.swap.current", "0\n");
	put(root, "/g/memory.max", "max\n");
	put(root, "/g/memory.high", "1073741824\n");
	put(root, "/g/memory.low", "max\n");
	put(root, "/g/memory.min", "0\n");
	put(root, "/g/memory.stat", "anon 11\nfile 22\n");
	put(root, "/g/memory.events", "low 0\noom_kill 1\n");
	put(root, "/g/pids.current", "3\n");
	put(root, "/g/pids.peak", "9\n");
	put(root, "/g/pids.max", "max\n");
	put(root, "/g/io.stat",
	    "8:0 rbytes=10 wbytes=1 rios=2 wios=3 dbytes=0 dios=0\n"
	    "8:16 rbytes=5 wbytes=1 rios=1 wios=1 dbytes=0 dios=0\n");
	put(root, "/g/cpuset.cpus.effective", "0-3,8\n");
	put(root, "/g/memory.pressure", "some avg10=1.00 avg60=0.00 avg300=0.00 total=6\n");
	procfs_cgroup_stats_read(path, &names, &s);
	assert_true(s.known);
	assert_true(s.cpu_usage_usec.value == 900 && s.cpu_user_usec.value == 600);
	assert_true(s.cpu_system_usec.value == 300 && s.cpu_nr_periods.value == 11);
	assert_true(s.cpu_nr_throttled.value == 4 && s.cpu_throttled_usec.value == 77);
	assert_true(s.cpu_nr_bursts.value == 2 && s.cpu_burst_usec.value == 5);
	assert_true(s.cpu_max_quota_us.known && !s.cpu_max_quota_us.unlimited);
	assert_true(s.cpu_max_quota_us.value == 50000 && s.cpu_max_period_us.value == 200000);
	assert_true(s.cpu_weight.value == 100 && s.cpu_weight_nice.known);
	assert_int_equal((int64_t)s.cpu_weight_nice.value, -5);
	assert_true(s.memory_current.value == 4096 && s.memory_peak.value == 8192);
	assert_true(s.memory_swap_current.known && s.memory_swap_current.value == 0);
	assert_true(s.memory_max.unlimited);
	assert_true(s.memory_high.value == 1073741824);
	assert_true(s.memory_low.unlimited);
	assert_true(s.memory_min.known && !s.memory_min.unlimited);
	assert_true(value_of(&names, &s.memory_stat, "file") == 22);
	assert_true(value_of(&names, &s.memory_events, "oom_kill") == 1);
	assert_true(s.pids_current.value == 3 && s.pids_peak.value == 9);
	assert_true(s.pids_max.unlimited);
	assert_true(value_of(&names, &s.io_stat, "rbytes") == 15);
	assert_true(value_of(&names, &s.io_stat, "wios") == 4);
	assert_string_equal(intern_text(&names, (uint32_t)s.cpuset_effective.value), "0-3,8");
	assert_true(s.pressure.resources[PROCFS_PRESSURE_MEMORY]
			    .half[PROCFS_PRESSURE_SOME]
			    .total_usec == 6);
	assert_false(s.pressure.resources[PROCFS_PRESSURE_CPU].known);
	procfs_cgroup_stats_deinit(&s);
	staged_root_free(root);
}

static void a_cgroup_without_controllers_has_nothing_known(void **state UNUSED)
{
	char *root = staged_root_new();
	_cleanup_free_ char *path = xasprintf("%s/g", root);
	_cleanup_free_ char *gone = xasprintf("%s/gone", root);
	_cleanup_intern_ struct intern names;
	struct procfs_cgroup_stats s;

	intern_init(&names);
	put(root, "/g/cgroup.procs", "");
	procfs_cgroup_stats_read(path, &names, &s);
	assert_true(s.known);
	assert_false(s.cpu_usage_usec.known || s.cpu_weight.known || s.cpu_weight_nice.known);
	assert_false(s.cpu_max_period_us.known || s.memory_current.known || s.pids_current.known);
	assert_false(s.cpu_max_quota_us.known);
	assert_false(s.memory_max.known);
	assert_false(s.memory_low.known);
	assert_false(s.pids_max.known);
	assert_false(s.memory_stat.known || s.memory_events.known || s.io_stat.known);
	assert_false(s.cpuset_effective.known);
	procfs_cgroup_stats_deinit(&s);
	procfs_cgroup_stats_read(gone, &names, &s);
	assert_false(s.known);
	staged_root_free(root);
}

static void check_max(const char *text, struct procfs_reading quota, bool period_known,
		      uint64_t period)
{
	struct procfs_cgroup_stats s = { 0 };

	procfs_cgroup_file_parse("cpu.max", text, strlen(text), NULL, &s);
	assert_int_equal(s.cpu_max_quota_us.known, quota.known);
	assert_int_equal(s.cpu_max_quota_us.unlimited, quota.unlimited);
	assert_true(s.cpu_max_quota_us.value == quota.value);
	assert_int_equal(s.cpu_max_period_us.known, period_known);
	assert_true(s.cpu_max_period_us.value == period);
}

static void a_quota_may_be_none_or_lack_its_period(void **state UNUSED)
{
	const struct procfs_reading none = { true, true, 0 }, some = { true, false, 50000 };
	const struct procfs_reading unknown = { 0 };

	check_max("max 100000\n", none, true, 100000);
	check_max("50000 100000\n", some, true, 100000);
	check_max("50000 20000\n", some, true, 20000);
	check_max("50000\n", some, true, 100000);
	check_max("50000 soon\n", some, true, 100000);
	check_max("much 20000\n", unknown, true, 20000);
	check_max("", unknown, false, 0);
	check_max(" \n", unknown, false, 0);
}

static void keys_of_cpu_stat_are_whole_words(void **state UNUSED)
{
	static const char text[] = "usage_usec_total 1\nxusage_usec 2\nuser_usec x\n"
				   "system_usec 18446744073709551616\nnr_periods 7";
	struct procfs_cgroup_stats s = { 0 };

	procfs_cgroup_file_parse("cpu.stat", text, sizeof(text) - 1, NULL, &s);
	assert_false(s.cpu_usage_usec.known || s.cpu_user_usec.known || s.cpu_system_usec.known);
	assert_true(s.cpu_nr_periods.known && s.cpu_nr_periods.value == 7);
}

static void devices_are_added_up_and_do_not_wrap(void **state UNUSED)
{
	/* A device without traffic may have no line end of its own. */
	static const char text[] = "254:0 8:0 rbytes=18446744073709551615 cost.vrate=100.00\n"
				   "8:16 rbytes=1 =5 wbytes= rios=4\n";
	_cleanup_intern_ struct intern names;
	struct procfs_cgroup_stats s = { 0 };
	const struct procfs_named_readings *got = &s.io_stat;
	uint32_t id;

	intern_init(&names);
	procfs_cgroup_file_parse("io.stat", text, sizeof(text) - 1, &names, &s);
	assert_true(got->known);
	assert_int_equal(got->rows.n, 2);
	assert_true(value_of(&names, got, "rbytes") == UINT64_MAX);
	assert_true(value_of(&names, got, "rios") == 4);
	assert_false(intern_find(&names, "cost.vrate", &id));
	procfs_cgroup_stats_deinit(&s);
}

static struct procfs_reading nice_of(const char *text)
{
	struct procfs_cgroup_stats s = { 0 };

	procfs_cgroup_file_parse("cpu.weight.nice", text, strlen(text), NULL, &s);
	return s.cpu_weight_nice;
}

static void nice_values_have_a_sign(void **state UNUSED)
{
	static const char *const bad[] = { "", "-", "--1", "x", "2147483648", "1.5" };

	assert_true(nice_of("-20\n").known);
	assert_int_equal((int64_t)nice_of("-20\n").value, -20);
	assert_int_equal((int64_t)nice_of("19").value, 19);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(nice_of(bad[i]).known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_full_cgroup_is_read_whole),
		cmocka_unit_test(a_cgroup_without_controllers_has_nothing_known),
		cmocka_unit_test(a_quota_may_be_none_or_lack_its_period),
		cmocka_unit_test(keys_of_cpu_stat_are_whole_words),
		cmocka_unit_test(devices_are_added_up_and_do_not_wrap),
		cmocka_unit_test(nice_values_have_a_sign),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
