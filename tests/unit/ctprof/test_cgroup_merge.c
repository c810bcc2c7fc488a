// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/cgroup_merge.h"

#include "ctprof/named_merge.h"
#include "made_snapshot.h"
#include "unit.h"

struct fixture {
	struct snapshot snapshot;
	struct group_keys *keys;
	struct merged_cgroups merged;
};

static void begin(struct fixture *f)
{
	*f = (struct fixture){ 0 };
	snapshot_init(&f->snapshot);
}

static void merge(struct fixture *f, struct group_rules rules)
{
	rules.axis = GROUP_AXIS_CGROUP;
	f->keys = group_keys_new(&rules);
	cgroups_merge(f->keys, &f->snapshot, &f->merged);
}

static void end(struct fixture *f)
{
	merged_cgroups_deinit(&f->merged);
	group_keys_free(f->keys);
	snapshot_deinit(&f->snapshot);
}

static struct reading known(uint64_t value)
{
	return (struct reading){ true, value };
}

static struct limit limited(uint64_t value)
{
	return (struct limit){ LIMIT_VALUE, value };
}

static void assert_reading(const struct reading *reading, uint64_t expected)
{
	assert_true(reading->known);
	assert_true(reading->value == expected);
}

static uint64_t named(const struct fixture *f, const struct named_readings *table, const char *name)
{
	uint32_t id = 0;

	assert_true(intern_find(&f->snapshot.strings, name, &id));
	return named_readings_value(table, id);
}

static void counters_are_added_and_gauges_are_the_largest(void **state UNUSED)
{
	struct fixture f;
	struct cgroup_stats *a, *b;
	const struct merged_cgroup *row;

	begin(&f);
	add_cgroup(&f.snapshot, "/job-1");
	add_cgroup(&f.snapshot, "/job-2");
	a = &f.snapshot.cgroups.at[0].stats;
	b = &f.snapshot.cgroups.at[1].stats;
	a->cpu.usage_usec = known(10);
	b->cpu.usage_usec = known(UINT64_MAX);
	a->cpu.nr_throttled = known(3);
	b->cpu.nr_throttled = known(4);
	a->cpu.throttled_usec = known(30);
	b->cpu.throttled_usec = known(40);
	a->memory.current = known(100);
	b->memory.current = known(300);
	a->memory.peak = known(900);
	b->memory.peak = known(800);
	a->pids.current = known(2);
	b->pids.current = known(5);
	add_named(&f.snapshot, &a->memory.stat, "anon", 7);
	add_named(&f.snapshot, &a->memory.stat, "pgfault", 7);
	add_named(&f.snapshot, &b->memory.stat, "pgfault", 5);
	add_named(&f.snapshot, &b->memory.stat, "anon", 5);
	add_named(&f.snapshot, &b->memory.stat, "new_key", 1);
	add_named(&f.snapshot, &a->memory.events, "oom_kill", 1);
	add_named(&f.snapshot, &b->memory.events, "oom_kill", 2);
	add_named(&f.snapshot, &a->io.stat, "rbytes", 1);
	add_named(&f.snapshot, &b->io.stat, "rbytes", 2);
	merge(&f, (struct group_rules){ 0 });
	assert_int_equal(f.merged.rows.n, 1);
	row = &f.merged.rows.at[0];
	assert_int_equal(row->members, 2);
	assert_int_equal(row->measured, 2);
	assert_int_equal(row->nested, 0);
	assert_reading(&row->stats.cpu.usage_usec, UINT64_MAX);
	assert_reading(&row->stats.cpu.nr_throttled, 7);
	assert_reading(&row->stats.cpu.throttled_usec, 70);
	assert_reading(&row->stats.memory.current, 300);
	assert_reading(&row->memory_current_total, 400);
	assert_reading(&row->stats.memory.peak, 900);
	assert_reading(&row->stats.pids.current, 7);
	assert_int_equal(named(&f, &row->stats.memory.stat, "anon"), 7);
	assert_int_equal(named(&f, &row->stats.memory.stat, "pgfault"), 12);
	assert_int_equal(named(&f, &row->stats.memory.stat, "new_key"), 1);
	assert_int_equal(named(&f, &row->stats.memory.events, "oom_kill"), 3);
	assert_int_equal(named(&f, &row->stats.io.stat, "rbytes"), 3);
	end(&f);
}

static void limits_are_the_largest_and_floors_the_smallest(void **state UNUSED)
{
	struct fixture f;
	struct cgroup_stats *a, *b;
	const struct cgroup_stats *m;

	begin(&f);
	add_cgroup(&f.snapshot, "/job-1");
	add_cgroup(&f.snapshot, "/job-2");
	a = &f.snapshot.cgroups.at[0].stats;
	b = &f.snapshot.cgroups.at[1].stats;
	a->memory.max = limited(100);
	b->memory.max = limited(200);
	a->memory.high = limited(100);
	b->memory.high = (struct limit){ .state = LIMIT_NONE };
	a->pids.max = limited(9);
	a->memory.low = limited(50);
	b->memory.low = (struct limit){ .state = LIMIT_NONE };
	a->memory.min = limited(50);
	b->memory.min = limited(20);
	a->cpu.max_quota_us = limited(5000);
	b->cpu.max_quota_us = limited(6000);
	a->cpu.max_period_us = known(100000);
	b->cpu.max_period_us = known(50000);
	a->cpu.weight = known(100);
	b->cpu.weight = known(300);
	a->cpu.weight_nice_known = b->cpu.weight_nice_known = true;
	a->cpu.weight_nice = -3;
	b->cpu.weight_nice = -9;
	merge(&f, (struct group_rules){ 0 });
	m = &f.merged.rows.at[0].stats;
	assert_int_equal(m->memory.max.state, LIMIT_VALUE);
	assert_int_equal(m->memory.max.value, 200);
	assert_int_equal(m->memory.high.state, LIMIT_NONE);
	/* Missing in one: nothing can be said of both. */
	assert_int_equal(m->pids.max.state, LIMIT_UNKNOWN);
	assert_int_equal(m->memory.low.value, 50);
	assert_int_equal(m->memory.low.state, LIMIT_VALUE);
	assert_int_equal(m->memory.min.value, 20);
	assert_int_equal(m->cpu.max_quota_us.value, 6000);
	assert_reading(&m->cpu.max_period_us, 100000);
	assert_reading(&m->cpu.weight, 300);
	assert_true(m->cpu.weight_nice_known);
	assert_int_equal(m->cpu.weight_nice, -3);
	end(&f);
}

static void a_missing_member_is_not_0(void **state UNUSED)
{
	struct fixture f;
	struct cgroup_stats *a, *b;
	const struct cgroup_stats *m;

	begin(&f);
	add_cgroup(&f.snapshot, "/job-1");
	add_cgroup(&f.snapshot, "/job-2");
	a = &f.snapshot.cgroups.at[0].stats;
	b = &f.snapshot.cgroups.at[1].stats;
	b->pids.current = known(5);
	b->memory.current = known(9);
	a->cpu.weight = known(100);
	merge(&f, (struct group_rules){ 0 });
	m = &f.merged.rows.at[0].stats;
	assert_reading(&m->pids.current, 5);
	assert_reading(&m->memory.current, 9);
	assert_false(m->cpu.weight.known);
	assert_false(m->cpu.usage_usec.known);
	assert_int_equal(m->memory.max.state, LIMIT_UNKNOWN);
	end(&f);
}

static void pressure_averages_are_the_largest_and_totals_are_added(void **state UNUSED)
{
	struct fixture f;
	struct pressure_file *a, *b;
	const struct pressure_file *m;

	begin(&f);
	add_cgroup(&f.snapshot, "/job-1");
	add_cgroup(&f.snapshot, "/job-2");
	a = &f.snapshot.cgroups.at[0].stats.pressure.resources[PRESSURE_IO];
	b = &f.snapshot.cgroups.at[1].stats.pressure.resources[PRESSURE_IO];
	*a = (struct pressure_file){ true, .some = { true, 100, 50, 7, 1000 } };
	*b = (struct pressure_file){ true, .some = { true, 20, 60, 9, 2000 },
				     .full = { true, 1, 2, 3, 4 } };
	merge(&f, (struct group_rules){ 0 });
	m = &f.merged.rows.at[0].stats.pressure.resources[PRESSURE_IO];
	assert_true(m->known);
	assert_int_equal(m->some.avg10, 100);
	assert_int_equal(m->some.avg60, 60);
	assert_int_equal(m->some.avg300, 9);
	assert_int_equal(m->some.total_usec, 3000);
	assert_true(m->full.known);
	assert_int_equal(m->full.total_usec, 4);
	assert_false(f.merged.rows.at[0].stats.pressure.resources[PRESSURE_CPU].known);
	end(&f);
}

/* v2 counters are those of the whole tree below: a child is in its parent's already. */
static void a_child_of_a_member_is_not_counted_again(void **state UNUSED)
{
	static const char *const globs[] = { "/pods/**" };
	static const char *const paths[] = { "/pods", "/pods-x", "/pods/a", "/pods/a/b", "/podsy" };
	struct fixture f;
	const struct merged_cgroup *row;

	begin(&f);
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		add_cgroup(&f.snapshot, paths[i])->cpu.usage_usec = known(100);
	merge(&f, (struct group_rules){ .cgroups = { .flatten = globs, .n_flatten = 1 } });
	assert_int_equal(f.merged.rows.n, 3);
	row = &f.merged.rows.at[1];
	assert_string_equal(intern_text(group_keys_texts(f.keys), row->key), "/pods/**");
	assert_reading(&row->stats.cpu.usage_usec, 100);
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
	add_cgroup(&f.snapshot, "/")->cpu.usage_usec = known(100);
	add_cgroup(&f.snapshot, "/a/b/c")->cpu.usage_usec = known(70);
	merge(&f, (struct group_rules){ .cgroups = { .flatten = globs, .n_flatten = 1 } });
	assert_int_equal(f.merged.rows.n, 1);
	assert_reading(&f.merged.rows.at[0].stats.cpu.usage_usec, 100);
	assert_int_equal(f.merged.rows.at[0].nested, 1);
	end(&f);
}

static void children_with_another_key_keep_their_own_values(void **state UNUSED)
{
	struct fixture f;

	begin(&f);
	add_cgroup(&f.snapshot, "/a")->cpu.usage_usec = known(100);
	add_cgroup(&f.snapshot, "/a/b")->cpu.usage_usec = known(70);
	merge(&f, (struct group_rules){ 0 });
	assert_int_equal(f.merged.rows.n, 2);
	assert_reading(&f.merged.rows.at[1].stats.cpu.usage_usec, 70);
	end(&f);
}

/* A parent that could not be read contains nothing. */
static void children_of_an_unreadable_parent_count(void **state UNUSED)
{
	static const char *const globs[] = { "/**" };
	struct fixture f;

	begin(&f);
	add_cgroup(&f.snapshot, "/a")->known = false;
	add_cgroup(&f.snapshot, "/a/b")->cpu.usage_usec = known(70);
	merge(&f, (struct group_rules){ .cgroups = { .flatten = globs, .n_flatten = 1 } });
	assert_reading(&f.merged.rows.at[0].stats.cpu.usage_usec, 70);
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
	add_cgroup(&f.snapshot, "/a-1")->cpuset_effective = set;
	add_cgroup(&f.snapshot, "/a-2")->cpuset_effective = set;
	add_cgroup(&f.snapshot, "/b-1")->cpuset_effective = set;
	add_cgroup(&f.snapshot, "/b-2")->cpuset_effective = intern_add(&f.snapshot.strings, "4");
	merge(&f, (struct group_rules){ 0 });
	assert_int_equal(f.merged.rows.at[0].stats.cpuset_effective, set);
	assert_int_equal(f.merged.rows.at[1].stats.cpuset_effective, 0);
	end(&f);
}

static void bytes_of_memory_are_told_from_counts(void **state UNUSED)
{
	assert_true(memory_stat_is_gauge("anon"));
	assert_true(memory_stat_is_gauge("slab_unreclaimable"));
	assert_true(memory_stat_is_gauge("hugetlb"));
	assert_false(memory_stat_is_gauge("pgfault"));
	assert_false(memory_stat_is_gauge("workingset_refault_anon"));
	assert_false(memory_stat_is_gauge("a_key_of_tomorrow"));
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
		cmocka_unit_test(bytes_of_memory_are_told_from_counts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
