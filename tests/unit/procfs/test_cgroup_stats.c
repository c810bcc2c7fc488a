// SPDX-License-Identifier: GPL-2.0-or-later
#include "procfs/cgroup_stats.h"

#include "staged_root.h"

static void put(const char *root, const char *path, const char *text)
{
	staged_file(root, path, text, strlen(text));
}

static uint64_t value_of(const struct intern *names, const struct named_readings *readings,
			 const char *key)
{
	const struct named_reading *row;
	uint32_t id;

	assert_true(intern_find(names, key, &id));
	row = named_readings_find(readings, id);
	assert_non_null(row);
	return row->value;
}

static void a_full_cgroup_is_read_whole(void **state UNUSED)
{
	char *root = staged_root_new();
	_cleanup_free_ char *path = xasprintf("%s/g", root);
	_cleanup_intern_ struct intern names;
	struct cgroup_stats s;

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
	cgroup_stats_read(path, &names, &s);
	assert_true(s.known);
	assert_true(s.cpu.usage_usec.value == 900 && s.cpu.user_usec.value == 600);
	assert_true(s.cpu.system_usec.value == 300 && s.cpu.nr_periods.value == 11);
	assert_true(s.cpu.nr_throttled.value == 4 && s.cpu.throttled_usec.value == 77);
	assert_true(s.cpu.nr_bursts.value == 2 && s.cpu.burst_usec.value == 5);
	assert_int_equal(s.cpu.max_quota_us.state, LIMIT_VALUE);
	assert_true(s.cpu.max_quota_us.value == 50000 && s.cpu.max_period_us.value == 200000);
	assert_true(s.cpu.weight.value == 100 && s.cpu.weight_nice_known);
	assert_int_equal(s.cpu.weight_nice, -5);
	assert_true(s.memory.current.value == 4096 && s.memory.peak.value == 8192);
	assert_true(s.memory.swap_current.known && s.memory.swap_current.value == 0);
	assert_int_equal(s.memory.max.state, LIMIT_NONE);
	assert_true(s.memory.high.value == 1073741824);
	assert_int_equal(s.memory.low.state, LIMIT_NONE);
	assert_int_equal(s.memory.min.state, LIMIT_VALUE);
	assert_true(value_of(&names, &s.memory.stat, "file") == 22);
	assert_true(value_of(&names, &s.memory.events, "oom_kill") == 1);
	assert_true(s.pids.current.value == 3 && s.pids.peak.value == 9);
	assert_int_equal(s.pids.max.state, LIMIT_NONE);
	assert_true(value_of(&names, &s.io.stat, "rbytes") == 15);
	assert_true(value_of(&names, &s.io.stat, "wios") == 4);
	assert_string_equal(intern_text(&names, s.cpuset_effective), "0-3,8");
	assert_true(s.pressure.resources[PRESSURE_MEMORY].some.total_usec == 6);
	assert_false(s.pressure.resources[PRESSURE_CPU].known);
	cgroup_stats_deinit(&s);
	staged_root_free(root);
}

static void a_cgroup_without_controllers_has_nothing_known(void **state UNUSED)
{
	char *root = staged_root_new();
	_cleanup_free_ char *path = xasprintf("%s/g", root);
	_cleanup_free_ char *gone = xasprintf("%s/gone", root);
	_cleanup_intern_ struct intern names;
	struct cgroup_stats s;

	intern_init(&names);
	put(root, "/g/cgroup.procs", "");
	cgroup_stats_read(path, &names, &s);
	assert_true(s.known);
	assert_false(s.cpu.usage_usec.known || s.cpu.weight.known || s.cpu.weight_nice_known);
	assert_false(s.cpu.max_period_us.known || s.memory.current.known || s.pids.current.known);
	assert_int_equal(s.cpu.max_quota_us.state, LIMIT_UNKNOWN);
	assert_int_equal(s.memory.max.state, LIMIT_UNKNOWN);
	assert_int_equal(s.memory.low.state, LIMIT_UNKNOWN);
	assert_int_equal(s.pids.max.state, LIMIT_UNKNOWN);
	assert_false(s.memory.stat.known || s.memory.events.known || s.io.stat.known);
	assert_int_equal(s.cpuset_effective, 0);
	cgroup_stats_deinit(&s);
	cgroup_stats_read(gone, &names, &s);
	assert_false(s.known);
	staged_root_free(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_full_cgroup_is_read_whole),
		cmocka_unit_test(a_cgroup_without_controllers_has_nothing_known),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
