// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/group/group.h"

#include "made_snapshot.h"
#include "unit.h"

struct fixture {
	struct ctprof_snapshot snapshot;
	struct ctprof_group_keys *keys;
	struct ctprof_merged_cgroups merged;
};

static void begin(struct fixture *f)
{
	*f = (struct fixture){ 0 };
	ctprof_snapshot_init(&f->snapshot);
}

static void merge(struct fixture *f, struct ctprof_group_rules rules)
{
	rules.axis = CTPROF_GROUP_AXIS_CGROUP;
	f->keys = ctprof_group_keys_new(&rules);
	ctprof_cgroups_merge(f->keys, &f->snapshot, &f->merged);
}

static void end(struct fixture *f)
{
	ctprof_merged_cgroups_deinit(&f->merged);
	ctprof_group_keys_free(f->keys);
	ctprof_snapshot_deinit(&f->snapshot);
}

static struct procfs_reading known(uint64_t value)
{
	return (struct procfs_reading){ true, false, value };
}

static struct procfs_reading limited(uint64_t value)
{
	return (struct procfs_reading){ true, false, value };
}

static void assert_reading(const struct procfs_reading *reading, uint64_t expected)
{
	assert_true(reading->known);
	assert_true(reading->value == expected);
}

static uint64_t named(const struct fixture *f, const struct procfs_named_readings *table,
		      const char *name)
{
	uint32_t id = 0;

	assert_true(intern_find(&f->snapshot.strings, name, &id));
	return procfs_named_readings_value(table, id);
}

static void counters_are_added_and_gauges_are_the_largest(void **state UNUSED)
{
	struct fixture f;
	struct procfs_cgroup_stats *a, *b;
	const struct ctprof_merged_cgroup *row;

	begin(&f);
	add_cgroup(&f.snapshot, "/job-1");
	add_cgroup(&f.snapshot, "/job-2");
	a = &f.snapshot.cgroups.at[0].stats;
	b = &f.snapshot.cgroups.at[1].stats;
	a->cpu_usage_usec = known(10);
	b->cpu_usage_usec = known(UINT64_MAX);
	a->cpu_nr_throttled = known(3);
	b->cpu_nr_throttled = known(4);
	a->cpu_throttled_usec = known(30);
	b->cpu_throttled_usec = known(40);
	a->memory_current = known(100);
	b->memory_current = known(300);
	a->memory_peak = known(900);
	b->memory_peak = known(800);
	a->pids_current = known(2);
	b->pids_current = known(5);
	add_named(&f.snapshot, &a->memory_stat, "anon", 7);
	add_named(&f.snapshot, &a->memory_stat, "pgfault", 7);
	add_named(&f.snapshot, &b->memory_stat, "pgfault", 5);
	add_named(&f.snapshot, &b->memory_stat, "anon", 5);
	add_named(&f.snapshot, &b->memory_stat, "new_key", 1);
	add_named(&f.snapshot, &a->memory_events, "oom_kill", 1);
	add_named(&f.snapshot, &b->memory_events, "oom_kill", 2);
	add_named(&f.snapshot, &a->io_stat, "rbytes", 1);
	add_named(&f.snapshot, &b->io_stat, "rbytes", 2);
	merge(&f, (struct ctprof_group_rules){ 0 });
	assert_int_equal(f.merged.rows.n, 1);
	row = &f.merged.rows.at[0];
	assert_int_equal(row->members, 2);
	assert_int_equal(row->measured, 2);
	assert_int_equal(row->nested, 0);
	assert_reading(&row->stats.cpu_usage_usec, UINT64_MAX);
	assert_reading(&row->stats.cpu_nr_throttled, 7);
	assert_reading(&row->stats.cpu_throttled_usec, 70);
	assert_reading(&row->stats.memory_current, 300);
	assert_reading(&row->memory_current_total, 400);
	assert_reading(&row->stats.memory_peak, 900);
	assert_reading(&row->stats.pids_current, 7);
	assert_int_equal(named(&f, &row->stats.memory_stat, "anon"), 7);
	assert_int_equal(named(&f, &row->stats.memory_stat, "pgfault"), 12);
	assert_int_equal(named(&f, &row->stats.memory_stat, "new_key"), 1);
	assert_int_equal(named(&f, &row->stats.memory_events, "oom_kill"), 3);
	assert_int_equal(named(&f, &row->stats.io_stat, "rbytes"), 3);
	end(&f);
}

static void limits_are_the_largest_and_floors_the_smallest(void **state UNUSED)
{
	struct fixture f;
	struct procfs_cgroup_stats *a, *b;
	const struct procfs_cgroup_stats *m;

	begin(&f);
	add_cgroup(&f.snapshot, "/job-1");
	add_cgroup(&f.snapshot, "/job-2");
	a = &f.snapshot.cgroups.at[0].stats;
	b = &f.snapshot.cgroups.at[1].stats;
	a->memory_max = limited(100);
	b->memory_max = limited(200);
	a->memory_high = limited(100);
	b->memory_high = (struct procfs_reading){ true, true, 0 };
	a->pids_max = limited(9);
	a->memory_low = limited(50);
	b->memory_low = (struct procfs_reading){ true, true, 0 };
	a->memory_min = limited(50);
	b->memory_min = limited(20);
	a->cpu_max_quota_us = limited(5000);
	b->cpu_max_quota_us = limited(6000);
	a->cpu_max_period_us = known(100000);
	b->cpu_max_period_us = known(50000);
	a->cpu_weight = known(100);
	b->cpu_weight = known(300);
	a->cpu_weight_nice = known((uint64_t)-3);
	b->cpu_weight_nice = known((uint64_t)-9);
	merge(&f, (struct ctprof_group_rules){ 0 });
	m = &f.merged.rows.at[0].stats;
	assert_true(m->memory_max.known && !m->memory_max.unlimited);
	assert_int_equal(m->memory_max.value, 200);
	assert_true(m->memory_high.unlimited);
	/* Missing in one: nothing can be said of both. */
	assert_false(m->pids_max.known);
	assert_int_equal(m->memory_low.value, 50);
	assert_true(m->memory_low.known && !m->memory_low.unlimited);
	assert_int_equal(m->memory_min.value, 20);
	assert_int_equal(m->cpu_max_quota_us.value, 6000);
	assert_reading(&m->cpu_max_period_us, 100000);
	assert_reading(&m->cpu_weight, 300);
	assert_reading(&m->cpu_weight_nice, (uint64_t)-3);
	end(&f);
}

static void a_missing_member_is_not_0(void **state UNUSED)
{
	struct fixture f;
	struct procfs_cgroup_stats *a, *b;
	const struct procfs_cgroup_stats *m;

	begin(&f);
	add_cgroup(&f.snapshot, "/job-1");
	add_cgroup(&f.snapshot, "/job-2");
	a = &f.snapshot.cgroups.at[0].stats;
	b = &f.snapshot.cgroups.at[1].stats;
	b->pids_current = known(5);
	b->memory_current = known(9);
	a->cpu_weight = known(100);
	merge(&f, (struct ctprof_group_rules){ 0 });
	m = &f.merged.rows.at[0].stats;
	assert_reading(&m->pids_current, 5);
	assert_reading(&m->memory_current, 9);
	assert_false(m->cpu_weight.known);
	assert_false(m->cpu_usage_usec.known);
	assert_false(m->memory_max.known);
	end(&f);
}

static void pressure_averages_are_the_largest_and_totals_are_added(void **state UNUSED)
{
	struct fixture f;
	struct procfs_pressure_file *a, *b;
	const struct procfs_pressure_file *m;

	begin(&f);
	add_cgroup(&f.snapshot, "/job-1");
	add_cgroup(&f.snapshot, "/job-2");
	a = &f.snapshot.cgroups.at[0].stats.pressure.resources[PROCFS_PRESSURE_IO];
	b = &f.snapshot.cgroups.at[1].stats.pressure.resources[PROCFS_PRESSURE_IO];
	*a = (struct procfs_pressure_file){ true, .half[PROCFS_PRESSURE_SOME] = { true, 100, 50, 7,
										  1000 } };
	*b = (struct procfs_pressure_file){ true,
					    .half[PROCFS_PRESSURE_SOME] = { true, 20, 60, 9, 2000 },
					    .half[PROCFS_PRESSURE_FULL] = { true, 1, 2, 3, 4 } };
	merge(&f, (struct ctprof_group_rules){ 0 });
	m = &f.merged.rows.at[0].stats.pressure.resources[PROCFS_PRESSURE_IO];
	assert_true(m->known);
	assert_int_equal(m->half[PROCFS_PRESSURE_SOME].avg10, 100);
	assert_int_equal(m->half[PROCFS_PRESSURE_SOME].avg60, 60);
	assert_int_equal(m->half[PROCFS_PRESSURE_SOME].avg300, 9);
	assert_int_equal(m->half[PROCFS_PRESSURE_SOME].total_usec, 3000);
	assert_true(m->half[PROCFS_PRESSURE_FULL].known);
	assert_int_equal(m->half[PROCFS_PRESSURE_FULL].total_usec, 4);
	assert_false(f.merged.rows.at[0].stats.pressure.resources[PROCFS_PRESSURE_CPU].known);
	end(&f);
}

/* v2 counters are those of the whole tree below: a child is in its parent's already. */
static void a_child_of_a_member_is_not_counted_again(void **state UNUSED)
{
	static const char *const globs[] = { "/pods/**" };
	static const char *const paths[] = { "/pods", "/pods-x", "/pods/a", "/pods/a/b", "/podsy" };
	struct fixture f;
	const struct ctprof_merged_cgroup *row;

	begin(&f);
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		add_cgroup(&f.snapshot, paths[i])->cpu_usage_usec = known(100);
	merge(&f, (struct ctprof_group_rules){ .cgroups = { .flatten = globs, .n_flatten = 1 } });
	assert_int_equal(f.merged.rows.n, 3);
	row = &f.merged.rows.at[1];
	assert_string_equal(intern_text(ctprof_group_keys_texts(f.keys), row->key), "/pods/**");
	assert_reading(&row->stats.cpu_usage_usec, 100);
	assert_int_equal(row->members, 3);
	assert_int_equal(row->nested, 2);
	end(&f);
}

/* The one between them has no threads and therefore no record. */
static void a_grandchild_is_found_past_a_gap_and_below_the_root(void **state UNUSED)
{
	static const char *const globs[] = { "/**" };
	struct fixture f;

	begin(&f);
	add_cgroup(&f.snapshot, "/")->cpu_usage_usec = known(100);
	add_cgroup(&f.snapshot, "/a/b/c")->cpu_usage_usec = known(70);
	merge(&f, (struct ctprof_group_rules){ .cgroups = { .flatten = globs, .n_flatten = 1 } });
	assert_int_equal(f.merged.rows.n, 1);
	assert_reading(&f.merged.rows.at[0].stats.cpu_usage_usec, 100);
	assert_int_equal(f.merged.rows.at[0].nested, 1);
	end(&f);
}

static void children_with_another_key_keep_their_own_values(void **state UNUSED)
{
	struct fixture f;

	begin(&f);
	add_cgroup(&f.snapshot, "/a")->cpu_usage_usec = known(100);
	add_cgroup(&f.snapshot, "/a/b")->cpu_usage_usec = known(70);
	merge(&f, (struct ctprof_group_rules){ 0 });
	assert_int_equal(f.merged.rows.n, 2);
	assert_reading(&f.merged.rows.at[1].stats.cpu_usage_usec, 70);
	end(&f);
}

/* A parent that could not be read contains nothing. */
static void children_of_an_unreadable_parent_count(void **state UNUSED)
{
	static const char *const globs[] = { "/**" };
	struct fixture f;

	begin(&f);
	add_cgroup(&f.snapshot, "/a")->known = false;
	add_cgroup(&f.snapshot, "/a/b")->cpu_usage_usec = known(70);
	merge(&f, (struct ctprof_group_rules){ .cgroups = { .flatten = globs, .n_flatten = 1 } });
	assert_reading(&f.merged.rows.at[0].stats.cpu_usage_usec, 70);
	assert_int_equal(f.merged.rows.at[0].members, 2);
	assert_int_equal(f.merged.rows.at[0].measured, 1);
	assert_int_equal(f.merged.rows.at[0].nested, 0);
	end(&f);
}

static void a_cpuset_survives_when_all_have_it(void **state UNUSED)
{
	struct fixture f;
	uint32_t set;

	begin(&f);
	set = intern_add(&f.snapshot.strings, "0-3");
	add_cgroup(&f.snapshot, "/a-1")->cpuset_effective = known(set);
	add_cgroup(&f.snapshot, "/a-2")->cpuset_effective = known(set);
	add_cgroup(&f.snapshot, "/b-1")->cpuset_effective = known(set);
	add_cgroup(&f.snapshot, "/b-2")->cpuset_effective = known(
		intern_add(&f.snapshot.strings, "4"));
	merge(&f, (struct ctprof_group_rules){ 0 });
	assert_reading(&f.merged.rows.at[0].stats.cpuset_effective, set);
	assert_false(f.merged.rows.at[1].stats.cpuset_effective.known);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counters_are_added_and_gauges_are_the_largest),
		cmocka_unit_test(limits_are_the_largest_and_floors_the_smallest),
		cmocka_unit_test(a_missing_member_is_not_0),
		cmocka_unit_test(pressure_averages_are_the_largest_and_totals_are_added),
		cmocka_unit_test(a_child_of_a_member_is_not_counted_again),
		cmocka_unit_test(a_grandchild_is_found_past_a_gap_and_below_the_root),
		cmocka_unit_test(children_with_another_key_keep_their_own_values),
		cmocka_unit_test(children_of_an_unreadable_parent_count),
		cmocka_unit_test(a_cpuset_survives_when_all_have_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
