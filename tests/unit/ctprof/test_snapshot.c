// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/snapshot.h"

#include "unit.h"

static void a_new_snapshot_knows_nothing_and_has_the_empty_string(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot snapshot;

	ctprof_snapshot_init(&snapshot);
	assert_int_equal(snapshot.schema_version, CTPROF_SNAPSHOT_SCHEMA_VERSION);
	assert_int_equal(snapshot.threads.n, 0);
	assert_false(snapshot.has_presence);
	assert_false(snapshot.parse.known);
	assert_string_equal(intern_text(&snapshot.strings, 0), "");
}

static void equal_cpu_lists_stand_once(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot snapshot;
	uint32_t two[] = { 0, 1 }, others[] = { 0, 2 }, copy[] = { 0, 1 };

	ctprof_snapshot_init(&snapshot);
	assert_int_equal(ctprof_snapshot_add_cpu_list(&snapshot, two, 2), 0);
	assert_int_equal(ctprof_snapshot_add_cpu_list(&snapshot, others, 2), 1);
	assert_int_equal(ctprof_snapshot_add_cpu_list(&snapshot, copy, 2), 0);
	assert_int_equal(ctprof_snapshot_add_cpu_list(&snapshot, two, 1), 2);
	assert_int_equal(ctprof_snapshot_add_cpu_list(&snapshot, NULL, 0), 3);
	assert_int_equal(ctprof_snapshot_add_cpu_list(&snapshot, NULL, 0), 3);
	assert_int_equal(snapshot.cpu_lists.n, 4);
	/* A copy: the caller's ids may change. */
	two[1] = 7;
	assert_int_equal(snapshot.cpu_lists.at[0].at[1], 1);
}

static void many_cpu_lists_keep_their_numbers(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot snapshot;

	ctprof_snapshot_init(&snapshot);
	for (uint32_t round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < 5000; i++)
			assert_int_equal(ctprof_snapshot_add_cpu_list(&snapshot, &i, 1), i);
	}
	assert_int_equal(snapshot.cpu_lists.n, 5000);
}

/* What a snapshot owns is counted by the leak checker. */
static void everything_is_given_back(void **state UNUSED)
{
	struct ctprof_snapshot snapshot;
	struct ctprof_snapshot_cgroup cgroup = { 0 };
	struct procfs_named_readings smaps = { .known = true };

	ctprof_snapshot_init(&snapshot);
	vec_push(&smaps.rows, (struct procfs_named_reading){ .value = 1 });
	vec_push(&snapshot.smaps, smaps);
	vec_push(&cgroup.stats.memory_stat.rows, (struct procfs_named_reading){ .value = 1 });
	vec_push(&cgroup.stats.memory_events.rows, (struct procfs_named_reading){ .value = 1 });
	vec_push(&cgroup.stats.io_stat.rows, (struct procfs_named_reading){ .value = 1 });
	vec_push(&snapshot.cgroups, cgroup);
	vec_push(&snapshot.sched_ext.events.rows, (struct procfs_named_reading){ .value = 1 });
	vec_push(&snapshot.threads, (struct metric_thread_sample){ .tid = 1 });
	snapshot.host.arch = xstrdup("x86_64");
	ctprof_snapshot_deinit(&snapshot);
	assert_null(snapshot.threads.at);
	/* Twice does no harm. */
	ctprof_snapshot_deinit(&snapshot);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_snapshot_knows_nothing_and_has_the_empty_string),
		cmocka_unit_test(equal_cpu_lists_stand_once),
		cmocka_unit_test(many_cpu_lists_keep_their_numbers),
		cmocka_unit_test(everything_is_given_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
