// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/file/record.h"

#include "files.h"

static void equal_presence_sets_are_stored_once(void **state UNUSED)
{
	_cleanup_ctprof_presence_sets_ struct ctprof_presence_sets sets = { 0 };
	struct metric_thread_sample a = { .sources = 1 }, b = { .sources = 1 },
				    c = { .sources = 2 };

	metric_sample_set(&b, METRIC_NICE, 0);
	assert_int_equal(ctprof_presence_add(&sets, &a), 0);
	assert_int_equal(ctprof_presence_add(&sets, &b), 1);
	assert_int_equal(ctprof_presence_add(&sets, &c), 2);
	assert_int_equal(ctprof_presence_add(&sets, &a), 0);
	/* Values do not matter, nor does the number of threads, which nobody reads. */
	metric_sample_set(&b, METRIC_NICE, 5);
	metric_sample_set(&b, METRIC_THREAD_COUNT, 1);
	assert_int_equal(ctprof_presence_add(&sets, &b), 1);
	assert_int_equal(sets.sets.n, 3);
}

static void values_not_in_the_presence_set_become_unknown(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;
	struct metric_thread_sample sample;
	struct ctprof_presence_set set = { .sources = METRIC_SOURCE_BIT(STAT) };

	ctprof_snapshot_init(&s);
	sample = full_sample(&s, 1, 1);
	set.known[METRIC_MINFLT / 64] |= UINT64_C(1) << (METRIC_MINFLT % 64);
	ctprof_presence_apply(&set, &sample);
	assert_int_equal(sample.sources, METRIC_SOURCE_BIT(STAT));
	for (int i = 0; i < METRIC_N; i++)
		assert_int_equal(metric_sample_knows(&sample, (enum metric_id)i),
				 i == METRIC_MINFLT);
	assert_int_equal(sample.values[METRIC_MAJFLT], 0);
}

#define SNAPSHOT(presence, thread)                                                      \
	"{\"captured_at_unix_ns\":1,\"presence\":" presence ",\"threads\":[{\"tid\":1," \
	"\"tgid\":1,\"minflt\":5,\"majflt\":6,\"rchar\":7" thread "}]}"

static void presence_sets_may_follow_the_threads(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s = { 0 };

	assert_success(
		load_json("{\"threads\":[{\"tid\":1,\"tgid\":1,\"minflt\":5,\"majflt\":6,"
			  "\"presence\":0}],\"captured_at_unix_ns\":1,\"presence\":{\"sets\":"
			  "[{\"sources\":[\"stat\"],\"absent\":[\"majflt\"]}]}}",
			  &s));
	assert_true(s.has_presence);
	assert_true(metric_sample_knows(&s.threads.at[0], METRIC_MINFLT));
	assert_false(metric_sample_knows(&s.threads.at[0], METRIC_MAJFLT));
}

static void a_member_that_is_missing_is_unknown_whatever_the_set_says(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s = { 0 };

	assert_success(load_json(
		SNAPSHOT("{\"sets\":[{\"sources\":[\"stat\"]}]}", ",\"presence\":0"), &s));
	assert_true(metric_sample_knows(&s.threads.at[0], METRIC_MINFLT));
	assert_false(metric_sample_knows(&s.threads.at[0], METRIC_NICE));
	assert_false(metric_sample_knows(&s.threads.at[0], METRIC_RCHAR));
}

static void closed_processes_default_to_0(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s = { 0 }, none = { 0 };

	assert_success(load_json(
		SNAPSHOT("{\"closed_processes\":3,\"sets\":[{\"sources\":[]}]}", ",\"presence\":0"),
		&s));
	assert_int_equal(s.closed_processes, 3);
	assert_success(
		load_json(SNAPSHOT("{\"sets\":[{\"sources\":[]}]}", ",\"presence\":0"), &none));
	assert_int_equal(none.closed_processes, 0);
}

static void presence_names_of_a_later_version_are_ignored(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s = { 0 };

	assert_success(load_json(
		SNAPSHOT(
			"{\"sources\":[\"quantum\"],\"paths\":{\"quantum\":\"tunnel\","
			"\"stat\":\"tunnel\",\"io\":\"bpf\"},\"reasons\":{\"quantum\":{\"x\":1},"
			"\"io\":{\"collapsed\":4,\"tired\":2}},\"sets\":[{\"sources\":[\"stat\",\"quantum\"],"
			"\"absent\":[\"spin\"],\"new\":1}]}",
			",\"presence\":0"),
		&s));
	assert_int_equal(s.threads.at[0].sources, METRIC_SOURCE_BIT(STAT));
	assert_int_equal(s.paths[METRIC_SOURCE_IO], CTPROF_SNAPSHOT_PATH_BPF);
	/* A reason nobody knows is still a thread that was not read. */
	assert_int_equal(s.reasons[METRIC_SOURCE_IO][CTPROF_SNAPSHOT_REASON_OTHER], 6);
}

static void a_thread_without_a_set_is_refused(void **state UNUSED)
{
	assert_refused(SNAPSHOT("{\"sets\":[{\"sources\":[]}]}", ""),
		       "threads[0].presence: missing, though the file has sets");
	assert_refused(SNAPSHOT("{\"sets\":[{\"sources\":[]}]}", ",\"presence\":1"),
		       "threads[0].presence: there is no set 1");
	assert_refused(SNAPSHOT("{}", ",\"presence\":0"), "threads[0].presence: there is no set 0");
}

static void members_of_a_wrong_type_are_refused_with_their_path(void **state UNUSED)
{
	assert_refused(SNAPSHOT("[]", ""), "presence: expected an object, found an array");
	assert_refused(SNAPSHOT("{\"sets\":{}}", ""), "presence.sets: expected an array");
	assert_refused(SNAPSHOT("{\"sets\":[{}]}", ""),
		       "presence.sets[0]: expected an object with sources");
	assert_refused(SNAPSHOT("{\"sets\":[{\"sources\":5}]}", ""),
		       "presence.sets[0].sources: expected an array, found a number");
	assert_refused(SNAPSHOT("{\"sets\":[{\"sources\":[],\"absent\":[5]}]}", ""),
		       "presence.sets[0].absent[0]: expected a string, found a number");
	assert_refused(SNAPSHOT("{\"paths\":{\"io\":5}}", ""),
		       "presence.paths.io: expected a string");
	assert_refused(SNAPSHOT("{\"reasons\":{\"io\":5}}", ""),
		       "presence.reasons.io: expected an object");
	assert_refused(SNAPSHOT("{\"reasons\":{\"io\":{\"vanished\":-1}}}", ""),
		       "presence.reasons.io.vanished: -1 is not a whole number");
	assert_refused(SNAPSHOT("{\"cgroup_mount\":5}", ""),
		       "presence.cgroup_mount: expected a string");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_presence_sets_are_stored_once),
		cmocka_unit_test(values_not_in_the_presence_set_become_unknown),
		cmocka_unit_test(presence_sets_may_follow_the_threads),
		cmocka_unit_test(a_member_that_is_missing_is_unknown_whatever_the_set_says),
		cmocka_unit_test(closed_processes_default_to_0),
		cmocka_unit_test(presence_names_of_a_later_version_are_ignored),
		cmocka_unit_test(a_thread_without_a_set_is_refused),
		cmocka_unit_test(members_of_a_wrong_type_are_refused_with_their_path),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
