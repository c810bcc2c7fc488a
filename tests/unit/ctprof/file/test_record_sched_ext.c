// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/file/record.h"

#include "files.h"

#define EXT(value) "{\"captured_at_unix_ns\":1,\"threads\":[],\"sched_ext\":" value "}"

static void a_kernel_without_it_is_null(void **state UNUSED)
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

static void the_five_members_of_others_are_enough(void **state UNUSED)
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

static void what_has_another_type_is_told_with_its_place(void **state UNUSED)
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
		cmocka_unit_test(a_kernel_without_it_is_null),
		cmocka_unit_test(unknown_numbers_stay_unknown),
		cmocka_unit_test(the_five_members_of_others_are_enough),
		cmocka_unit_test(what_has_another_type_is_told_with_its_place),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
