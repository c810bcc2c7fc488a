// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/group/group.h"

#include "made_snapshot.h"
#include "unit.h"

/* "key=threads key=threads …" in the order of the groups. */
static void describe(const struct ctprof_grouping *grouping, struct strbuf *into)
{
	for (size_t i = 0; i < grouping->groups.n; i++) {
		const struct ctprof_group *group = grouping->groups.at[i];

		strbuf_append(into, i ? " " : "");
		ctprof_group_key_format(grouping->keys, &group->key, into);
		strbuf_appendf(into, "=%u", (unsigned int)group->values[METRIC_THREAD_COUNT].value);
	}
}

static void assert_groups(const struct ctprof_group_rules *rules,
			  const struct ctprof_snapshot *snapshot,
			  const struct ctprof_snapshot *other, const char *expected)
{
	_cleanup_ctprof_group_keys_ struct ctprof_group_keys *keys = ctprof_group_keys_new(rules);
	_cleanup_ctprof_grouping_ struct ctprof_grouping grouping = { 0 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	ctprof_group_keys_add(keys, snapshot);
	if (other)
		ctprof_group_keys_add(keys, other);
	ctprof_grouping_make(keys, snapshot, NULL, NULL, &grouping);
	describe(&grouping, &text);
	assert_string_equal(strbuf_str(&text), expected);
}
#define ASSERT_GROUPS(snapshot, expected, ...) \
	assert_groups(&(struct ctprof_group_rules){ __VA_ARGS__ }, snapshot, NULL, expected)

static void fill(struct ctprof_snapshot *snapshot)
{
	ctprof_snapshot_init(snapshot);
	add_thread(snapshot, 10, 10, "web-1", "web-1", "/s/web@1.service");
	add_thread(snapshot, 10, 11, "web-1", "pool-1", "/s/web@1.service");
	add_thread(snapshot, 10, 12, "web-1", "pool-2", "/s/web@1.service");
	add_thread(snapshot, 20, 20, "web-2", "web-2", "/s/web@2.service");
	add_thread(snapshot, 9, 9, "db-7", "db-7", "/s/db-7.scope");
	add_thread(snapshot, 9, 21, "db-7", "flush", "/s/db-7.scope");
}

static void every_axis_has_its_keys(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;

	fill(&s);
	ASSERT_GROUPS(&s, "db-7=2 web-{N}=4", .axis = CTPROF_GROUP_AXIS_PCOMM);
	ASSERT_GROUPS(&s, "db-7=1 flush=1 pool-{N}=2 web-{N}=2", .axis = CTPROF_GROUP_AXIS_COMM);
	ASSERT_GROUPS(&s, "db-7=1 flush=1 pool-1=1 pool-2=1 web-1=1 web-2=1",
		      .axis = CTPROF_GROUP_AXIS_COMM_EXACT);
	ASSERT_GROUPS(&s, "/s/db-{N}.scope=2 /s/web@{I}.service=4",
		      .axis = CTPROF_GROUP_AXIS_CGROUP);
	ASSERT_GROUPS(&s,
		      "/s/db-{N}.scope/db-{N}/db-{N}=1 /s/db-{N}.scope/db-{N}/flush=1 "
		      "/s/web@{I}.service/web-{N}/pool-{N}=2 /s/web@{I}.service/web-{N}/web-{N}=2",
		      .axis = CTPROF_GROUP_AXIS_ALL);
	ASSERT_GROUPS(&s, "db-7[9]=2 web-1[10]=3 web-2[20]=1", .axis = CTPROF_GROUP_AXIS_PROCESS);
	ASSERT_GROUPS(&s,
		      "db-7[9]/db-7[9]=1 db-7[9]/flush[21]=1 web-1[10]/pool-1[11]=1 "
		      "web-1[10]/pool-2[12]=1 web-1[10]/web-1[10]=1 web-2[20]/web-2[20]=1",
		      .axis = CTPROF_GROUP_AXIS_THREAD);
}

static void literal_names_stay_as_they_are(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;

	fill(&s);
	ASSERT_GROUPS(&s, "db-7=2 web-1=3 web-2=1", .axis = CTPROF_GROUP_AXIS_PCOMM,
		      .literal_names = true);
	ASSERT_GROUPS(&s, "db-7=1 flush=1 pool-1=1 pool-2=1 web-1=1 web-2=1",
		      .axis = CTPROF_GROUP_AXIS_COMM, .literal_names = true);
	ASSERT_GROUPS(&s, "/s/db-7.scope=2 /s/web@1.service=3 /s/web@2.service=1",
		      .axis = CTPROF_GROUP_AXIS_CGROUP, .cgroups = { .literal = true });
}

/* Two threads of one name are one name: it keeps its number. */
static void a_name_alone_with_its_pattern_keeps_its_number(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;

	ctprof_snapshot_init(&s);
	add_thread(&s, 1, 1, "worker-7", "worker-7", "/");
	add_thread(&s, 1, 2, "worker-7", "worker-7", "/");
	ASSERT_GROUPS(&s, "worker-7=2", .axis = CTPROF_GROUP_AXIS_PCOMM);
	ASSERT_GROUPS(&s, "worker-7=2", .axis = CTPROF_GROUP_AXIS_COMM);
	/* Where it is a part of a longer key there is no such rule. */
	ASSERT_GROUPS(&s, "/worker-{N}/worker-{N}=2", .axis = CTPROF_GROUP_AXIS_ALL);
}

/* A pool of one that becomes a pool of three has one key on both sides. */
static void names_are_counted_over_both_snapshots(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot one, three;
	struct ctprof_group_rules rules = { .axis = CTPROF_GROUP_AXIS_COMM };

	ctprof_snapshot_init(&one);
	add_thread(&one, 1, 1, "p", "worker-1", "/");
	ctprof_snapshot_init(&three);
	add_thread(&three, 1, 1, "p", "worker-1", "/");
	add_thread(&three, 1, 2, "p", "worker-2", "/");
	add_thread(&three, 1, 3, "p", "worker-3", "/");
	assert_groups(&rules, &one, NULL, "worker-1=1");
	assert_groups(&rules, &one, &three, "worker-{N}=1");
	assert_groups(&rules, &three, &one, "worker-{N}=3");
	/* The same name on both sides is still one name. */
	assert_groups(&rules, &one, &one, "worker-1=1");
}

static void equal_keys_of_two_snapshots_are_equal_numbers(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot a, b;
	struct ctprof_group_rules rules = { .axis = CTPROF_GROUP_AXIS_ALL };
	_cleanup_ctprof_group_keys_ struct ctprof_group_keys *keys = ctprof_group_keys_new(&rules);
	_cleanup_ctprof_grouping_ struct ctprof_grouping in_a = { 0 }, in_b = { 0 };

	ctprof_snapshot_init(&a);
	add_thread(&a, 1, 1, "p-1", "t-1", "/c-1");
	ctprof_snapshot_init(&b);
	add_thread(&b, 5, 5, "other", "other", "/other");
	add_thread(&b, 9, 9, "p-2", "t-9", "/c-4");
	ctprof_group_keys_add(keys, &a);
	ctprof_group_keys_add(keys, &b);
	ctprof_grouping_make(keys, &a, NULL, NULL, &in_a);
	ctprof_grouping_make(keys, &b, NULL, NULL, &in_b);
	assert_int_equal(in_b.groups.n, 2);
	assert_memory_equal(&in_a.groups.at[0]->key, &in_b.groups.at[0]->key,
			    sizeof(struct ctprof_group_key));
}

static bool is_leader(const struct metric_thread_sample *sample, void *arg UNUSED)
{
	return sample->tid == sample->tgid;
}

static void unwanted_threads_are_left_out(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;
	struct ctprof_group_rules rules = { .axis = CTPROF_GROUP_AXIS_PROCESS };
	_cleanup_ctprof_group_keys_ struct ctprof_group_keys *keys = ctprof_group_keys_new(&rules);
	_cleanup_ctprof_grouping_ struct ctprof_grouping grouping = { 0 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	fill(&s);
	ctprof_group_keys_add(keys, &s);
	ctprof_grouping_make(keys, &s, is_leader, NULL, &grouping);
	describe(&grouping, &text);
	assert_string_equal(strbuf_str(&text), "db-7[9]=1 web-1[10]=1 web-2[20]=1");
}

static void values_are_reduced_within_their_group(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;
	struct ctprof_group_rules rules = { .axis = CTPROF_GROUP_AXIS_PCOMM };
	_cleanup_ctprof_group_keys_ struct ctprof_group_keys *keys = ctprof_group_keys_new(&rules);
	_cleanup_ctprof_grouping_ struct ctprof_grouping grouping = { 0 };
	const struct metric_reduced *values;

	ctprof_snapshot_init(&s);
	metric_sample_set(add_thread(&s, 1, 1, "a", "a", "/"), METRIC_RUN_TIME_NS, 5);
	metric_sample_set(add_thread(&s, 1, 2, "a", "a", "/"), METRIC_RUN_TIME_NS, 6);
	add_thread(&s, 1, 3, "a", "a", "/");
	metric_sample_set(add_thread(&s, 2, 2, "b", "b", "/"), METRIC_RUN_TIME_NS, 100);
	metric_sample_set(&s.threads.at[0], METRIC_POLICY, 0);
	ctprof_group_keys_add(keys, &s);
	ctprof_grouping_make(keys, &s, NULL, NULL, &grouping);
	values = grouping.groups.at[0]->values;
	assert_int_equal(values[METRIC_RUN_TIME_NS].value, 11);
	assert_int_equal(values[METRIC_RUN_TIME_NS].measured, 2);
	assert_int_equal(values[METRIC_RUN_TIME_NS].of, 3);
	assert_int_equal(values[METRIC_POLICY].measured, 1);
	assert_int_equal(grouping.groups.at[1]->values[METRIC_RUN_TIME_NS].value, 100);
}

static void an_empty_snapshot_has_no_groups(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;

	ctprof_snapshot_init(&s);
	for (int axis = 0; axis < CTPROF_N_AXES; axis++)
		ASSERT_GROUPS(&s, "", .axis = (enum ctprof_axis)axis);
}

static void process_ids_are_in_the_order_of_numbers(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;

	ctprof_snapshot_init(&s);
	add_thread(&s, 100, 100, "sh", "sh", "/");
	add_thread(&s, 9, 9, "sh", "sh", "/");
	add_thread(&s, 20, 20, "sh", "sh", "/");
	ASSERT_GROUPS(&s, "sh[9]=1 sh[20]=1 sh[100]=1", .axis = CTPROF_GROUP_AXIS_PROCESS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_axis_has_its_keys),
		cmocka_unit_test(literal_names_stay_as_they_are),
		cmocka_unit_test(a_name_alone_with_its_pattern_keeps_its_number),
		cmocka_unit_test(names_are_counted_over_both_snapshots),
		cmocka_unit_test(equal_keys_of_two_snapshots_are_equal_numbers),
		cmocka_unit_test(unwanted_threads_are_left_out),
		cmocka_unit_test(values_are_reduced_within_their_group),
		cmocka_unit_test(an_empty_snapshot_has_no_groups),
		cmocka_unit_test(process_ids_are_in_the_order_of_numbers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
