// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include "suite/declared.h"

static void an_empty_declaration_has_default_topology_and_duration(void **state UNUSED)
{
	const struct ktstr_test test = { 0 };
	struct topo t = suite_declared_topology(&test);

	assert_int_equal(t.nodes, 1);
	assert_int_equal(t.llcs, 1);
	assert_int_equal(t.cores, 2);
	assert_int_equal(t.threads, 1);
	assert_int_equal(suite_declared_duration_s(&test), 2);
	assert_null(suite_declared_scheduler_name(&test));
	assert_int_equal(suite_declared_cgroup_count(&test), 0);
}

static void each_part_of_a_topology_has_its_own_default(void **state UNUSED)
{
	const struct ktstr_test test = { .topology = { .llcs = 4, .threads = 2 } };
	struct topo t = suite_declared_topology(&test);

	assert_int_equal(t.nodes, 1);
	assert_int_equal(t.llcs, 4);
	assert_int_equal(t.cores, 2);
	assert_int_equal(t.threads, 2);
}

static void a_scheduler_is_called_by_its_file(void **state UNUSED)
{
	const struct ktstr_test by_path = { .scheduler = { .argv = { "/opt/x/scx_a", "-v" } } };
	const struct ktstr_test named = { .scheduler = { .argv = { "scx_a" }, .name = "mine" } };

	assert_string_equal(suite_declared_scheduler_name(&by_path), "scx_a");
	assert_string_equal(suite_declared_scheduler_name(&named), "mine");
}

static void checks_depend_on_what_there_is_to_check(void **state UNUSED)
{
	const struct ktstr_test nothing = { .cgroups = { { .name = "a" } } };
	const struct ktstr_test all = {
		.scheduler = { .argv = { "s" } },
		.cgroups = { { .name = "a" }, { "b", .work = { .kind = KTSTR_WORK_YIELD } } },
	};
	const struct ktstr_test off = {
		.scheduler = { .argv = { "s" } },
		.cgroups = { { "b", .work = { .kind = KTSTR_WORK_YIELD } } },
		.checks = { .progress = KTSTR_OFF,
			    .isolation = KTSTR_REQUIRED,
			    .scheduler_alive = KTSTR_OFF,
			    .max_gap_ms = KTSTR_AT_MOST(3) },
	};

	assert_int_equal(suite_declared_checks(&nothing).progress, KTSTR_OFF);
	assert_int_equal(suite_declared_checks(&nothing).scheduler_alive, KTSTR_OFF);
	assert_int_equal(suite_declared_checks(&all).progress, KTSTR_REQUIRED);
	assert_int_equal(suite_declared_checks(&all).scheduler_alive, KTSTR_REQUIRED);
	assert_int_equal(suite_declared_checks(&all).isolation, KTSTR_OFF);
	assert_int_equal(suite_declared_checks(&off).progress, KTSTR_OFF);
	assert_int_equal(suite_declared_checks(&off).isolation, KTSTR_REQUIRED);
	assert_int_equal(suite_declared_checks(&off).scheduler_alive, KTSTR_OFF);
	assert_true(suite_declared_checks(&off).max_gap_ms.set);
	assert_true(suite_declared_checks(&off).max_gap_ms.value == 3);
	assert_false(suite_declared_checks(&off).max_spread_pct.set);
}

static void unused(struct ktstr_ctx *ctx UNUSED)
{
}

static void a_test_without_work_does_not_wait_for_the_duration(void **state UNUSED)
{
	const struct ktstr_test alone = { .run = unused, .cgroups = { { .name = "a" } } };
	const struct ktstr_test both = {
		.run = unused, .cgroups = { { "a", .work = { .kind = KTSTR_WORK_SPIN } } }
	};
	const struct ktstr_test none = { .cgroups = { { .name = "a" } } };

	assert_false(suite_declared_is_timed(&alone));
	assert_true(suite_declared_is_timed(&both));
	assert_true(suite_declared_is_timed(&none));
}

static void work_has_the_parameters_of_its_kind(void **state UNUSED)
{
	const struct ktstr_work bursty = { KTSTR_WORK_BURSTY, .sleep_ms = 7 };
	const struct ktstr_work spin = { .kind = KTSTR_WORK_SPIN };
	const struct ktstr_work none = { KTSTR_WORK_NONE, .workers = 9 };

	assert_int_equal(suite_declared_work(&bursty).workers, 2);
	assert_int_equal(suite_declared_work(&bursty).burst_ms, 50);
	assert_int_equal(suite_declared_work(&bursty).sleep_ms, 7);
	assert_int_equal(suite_declared_work(&spin).burst_ms, 0);
	assert_int_equal(suite_declared_workers(&spin), 2);
	assert_int_equal(suite_declared_workers(&none), 0);
}

static void counting_ends_behind_the_limit(void **state UNUSED)
{
	const char *const texts[] = { "a", "b", "c", NULL };

	assert_int_equal(suite_declared_count(texts, 3), 3);
	assert_int_equal(suite_declared_count(texts, 2), 3);
	assert_int_equal(suite_declared_count(texts, 1), 2);
}

KTSTR_TEST(second) = { .duration_s = 2 };
KTSTR_TEST(first) = { .duration_s = 1 };

static void declared_tests_are_found_and_sorted(void **state UNUSED)
{
	_cleanup_suite_entry_list_ struct suite_entry_list list = { 0 };

	suite_entries_of_program(&list);
	assert_int_equal(list.rows.n, 2);
	assert_string_equal(list.rows.at[0]->name, "first");
	assert_string_equal(list.rows.at[1]->name, "second");
	assert_int_equal(list.rows.at[1]->test->duration_s, 2);
	assert_int_equal(list.rows.at[1]->line + 1, list.rows.at[0]->line);
	assert_non_null(strstr(list.rows.at[0]->file, "test_declared.c"));
}

static void equal_names_come_by_file_and_line(void **state UNUSED)
{
	static const struct ktstr_entry rows[] = {
		{ "b", "z.c", 1, KTSTR_LAYOUT_, NULL },
		{ "a", "y.c", 30, KTSTR_LAYOUT_, NULL },
		{ "a", "x.c", 9, KTSTR_LAYOUT_, NULL },
		{ "a", "y.c", 4, KTSTR_LAYOUT_, NULL },
	};
	const struct ktstr_entry *const at[] = { &rows[0], &rows[1], NULL, &rows[2], &rows[3] };
	_cleanup_suite_entry_list_ struct suite_entry_list list = { 0 };

	suite_entries_collect(at, at + ARRAY_SIZE(at), &list);
	assert_int_equal(list.rows.n, 4);
	assert_ptr_equal(list.rows.at[0], &rows[2]);
	assert_ptr_equal(list.rows.at[1], &rows[3]);
	assert_ptr_equal(list.rows.at[2], &rows[1]);
	assert_ptr_equal(list.rows.at[3], &rows[0]);
}

static void a_name_is_found_whole(void **state UNUSED)
{
	_cleanup_suite_entry_list_ struct suite_entry_list list = { 0 };

	suite_entries_of_program(&list);
	assert_string_equal(suite_entries_find(&list, "second")->name, "second");
	assert_null(suite_entries_find(&list, "sec"));
	assert_null(suite_entries_find(&list, ""));
}

static void a_binary_without_the_section_has_no_tests(void **state UNUSED)
{
	_cleanup_suite_entry_list_ struct suite_entry_list list = { 0 };

	suite_entries_collect(NULL, NULL, &list);
	assert_int_equal(list.rows.n, 0);
}

static void reason_names_are_those_of_the_list(void **state UNUSED)
{
	assert_string_equal(suite_reason_name(KTSTR_REASON_NONE), "none");
	assert_string_equal(suite_reason_name(KTSTR_REASON_SCHED_EXIT), "scheduler-exited");
	assert_null(suite_reason_name(KTSTR_N_REASONS));
	assert_null(suite_reason_name((enum ktstr_reason) - 1));
}

static void only_failures_that_happen_can_be_expected(void **state UNUSED)
{
	assert_true(suite_reason_is_expectable(KTSTR_REASON_CHECK));
	assert_true(suite_reason_is_expectable(KTSTR_REASON_SCHED_VERIFIER));
	assert_false(suite_reason_is_expectable(KTSTR_REASON_NONE));
	assert_false(suite_reason_is_expectable(KTSTR_REASON_AS_EXPECTED));
	assert_false(suite_reason_is_expectable(KTSTR_REASON_DID_NOT_FAIL));
	assert_false(suite_reason_is_expectable(KTSTR_REASON_OTHER_FAILURE));
	assert_false(suite_reason_is_expectable(KTSTR_REASON_NEED));
	assert_false(suite_reason_is_expectable(KTSTR_REASON_BOOT));
	assert_false(suite_reason_is_expectable((enum ktstr_reason)4711));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_declaration_has_default_topology_and_duration),
		cmocka_unit_test(each_part_of_a_topology_has_its_own_default),
		cmocka_unit_test(a_scheduler_is_called_by_its_file),
		cmocka_unit_test(checks_depend_on_what_there_is_to_check),
		cmocka_unit_test(a_test_without_work_does_not_wait_for_the_duration),
		cmocka_unit_test(work_has_the_parameters_of_its_kind),
		cmocka_unit_test(counting_ends_behind_the_limit),
		cmocka_unit_test(declared_tests_are_found_and_sorted),
		cmocka_unit_test(equal_names_come_by_file_and_line),
		cmocka_unit_test(a_name_is_found_whole),
		cmocka_unit_test(a_binary_without_the_section_has_no_tests),
		cmocka_unit_test(reason_names_are_those_of_the_list),
		cmocka_unit_test(only_failures_that_happen_can_be_expected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
