// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/file/record.h"

#include "files.h"

#define TOP(members) "{\"captured_at_unix_ns\":1,\"threads\":[]," members "}"

static void summaries_that_were_not_counted_are_null(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s, back = { 0 };
	_cleanup_free_ char *json = NULL;

	ctprof_snapshot_init(&s);
	json = snapshot_json(&s);
	assert_contains(json,
			"\"probe_summary\":null,\"parse_summary\":null,\"taskstats_summary\":null");
	assert_success(load_json(json, &back));
	assert_false(back.probe.known || back.parse.known || back.taskstats.known);
}

static void no_dominant_failure_is_null(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s, back = { 0 };
	_cleanup_free_ char *json = NULL;

	ctprof_snapshot_init(&s);
	s.probe.known = s.parse.known = true;
	json = snapshot_json(&s);
	assert_contains(json, "\"dominant_failure\":null");
	assert_contains(json, "\"dominant_read_failure\":null");
	assert_contains(json, "\"read_failures_by_file\":{}");
	assert_success(load_json(json, &back));
	assert_true(back.probe.known && back.parse.known);
	assert_int_equal(back.probe.dominant_failure, 0);
}

static void members_of_a_wrong_type_are_refused_with_their_path(void **state UNUSED)
{
	assert_refused(TOP("\"probe_summary\":5"), "probe_summary: expected an object");
	assert_refused(TOP("\"probe_summary\":{\"failed\":\"\"}"),
		       "probe_summary.failed: expected a number");
	assert_refused(TOP("\"probe_summary\":{\"dominant_failure\":5}"),
		       "probe_summary.dominant_failure: expected a string");
	assert_refused(TOP("\"probe_summary\":{\"privilege_dominant\":5}"),
		       "probe_summary.privilege_dominant: expected true or false");
	assert_refused(TOP("\"parse_summary\":{\"tids_walked\":-5}"),
		       "parse_summary.tids_walked: -5 is not");
	assert_refused(TOP("\"parse_summary\":{\"read_failures_by_file\":{\"io\":{}}}"),
		       "parse_summary.read_failures_by_file.io: expected a number");
	assert_refused(TOP("\"parse_summary\":{\"dominant_read_failure\":5}"),
		       "parse_summary.dominant_read_failure: expected a string");
	assert_refused(TOP("\"parse_summary\":{\"kernel_config_dominant\":5}"),
		       "parse_summary.kernel_config_dominant: expected true or false");
	assert_refused(TOP("\"taskstats_summary\":{\"ok_count\":[]}"),
		       "taskstats_summary.ok_count: expected a number");
	assert_refused(TOP("\"taskstats_summary\":[]"), "taskstats_summary: expected an object");
}

#define EXT(value) "{\"captured_at_unix_ns\":1,\"threads\":[],\"sched_ext\":" value "}"

static void missing_sched_ext_is_written_as_null(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s, back = { 0 };
	_cleanup_free_ char *json = NULL;

	ctprof_snapshot_init(&s);
	json = snapshot_json(&s);
	assert_contains(json, "\"sched_ext\":null");
	assert_success(load_json(json, &back));
	assert_false(back.sched_ext.known);
}

static void unknown_numbers_stay_unknown(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s, back = { 0 };
	_cleanup_free_ char *json = NULL;

	fill_snapshot(&s);
	s.sched_ext.nr_rejected = (struct procfs_reading){ 0 };
	s.sched_ext.switch_all = (struct procfs_reading){ true, false, 0 };
	s.sched_ext.events.known = false;
	s.sched_ext.events.rows.n = 0;
	json = snapshot_json(&s);
	assert_contains(json, "\"nr_rejected\":0");
	assert_success(load_json(json, &back));
	assert_false(back.sched_ext.nr_rejected.known);
	assert_true(back.sched_ext.switch_all.known);
	assert_true(back.sched_ext.enable_seq.known);
	assert_false(back.sched_ext.events.known);
}

static void sched_ext_loads_from_the_five_members_of_other_tools(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s = { 0 };

	assert_success(load_json(EXT("{\"state\":\"disabled\",\"switch_all\":0,\"nr_rejected\":1,"
				     "\"hotplug_seq\":2,\"enable_seq\":3}"),
				 &s));
	assert_true(s.sched_ext.known);
	assert_string_equal(intern_text(&s.strings, s.sched_ext.state), "disabled");
	assert_int_equal(s.sched_ext.ops, 0);
	assert_true(s.sched_ext.switch_all.known);
	assert_int_equal(s.sched_ext.enable_seq.value, 3);
}

static void sched_ext_of_another_type_is_told_with_its_place(void **state UNUSED)
{
	assert_refused(EXT("5"), "sched_ext: expected an object");
	assert_refused(EXT("{\"state\":5}"), "sched_ext.state: expected a string");
	assert_refused(EXT("{\"ops\":5}"), "sched_ext.ops: expected a string");
	assert_refused(EXT("{\"enable_seq\":{}}"), "sched_ext.enable_seq: expected a number");
	assert_refused(EXT("{\"events\":{\"a\":null,\"b\":\"\"}}"),
		       "sched_ext.events.b: expected a number");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(summaries_that_were_not_counted_are_null),
		cmocka_unit_test(no_dominant_failure_is_null),
		cmocka_unit_test(members_of_a_wrong_type_are_refused_with_their_path),
		cmocka_unit_test(missing_sched_ext_is_written_as_null),
		cmocka_unit_test(unknown_numbers_stay_unknown),
		cmocka_unit_test(sched_ext_loads_from_the_five_members_of_other_tools),
		cmocka_unit_test(sched_ext_of_another_type_is_told_with_its_place),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
