// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include "suite/declared.h"

static void silence_is_a_small_machine_for_two_seconds(void **state UNUSED)
{
	const struct ktstr_test test = { 0 };
	struct topo t = suite_declared_topology(&test);

	assert_int_equal(t.nodes, 1);
	assert_int_equal(t.llcs, 1);
	assert_int_equal(t.cores, 2);
	assert_int_equal(t.threads, 1);
	assert_int_equal(suite_declared_duration_s(&test), 2);
	assert_null(suite_declared_scheduler_name(&test));
	assert_int_equal(suite_declared_attach_timeout_s(&test), 0);
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

static void a_function_alone_does_not_wait_for_the_duration(void **state UNUSED)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(silence_is_a_small_machine_for_two_seconds),
		cmocka_unit_test(each_part_of_a_topology_has_its_own_default),
		cmocka_unit_test(a_scheduler_is_called_by_its_file),
		cmocka_unit_test(checks_depend_on_what_there_is_to_check),
		cmocka_unit_test(a_function_alone_does_not_wait_for_the_duration),
		cmocka_unit_test(work_has_the_parameters_of_its_kind),
		cmocka_unit_test(counting_ends_behind_the_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
