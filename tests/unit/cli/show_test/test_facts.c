// SPDX-License-Identifier: GPL-2.0-or-later
#include "declared.h"

/* CPUs are counted thread by thread, core by core, LLC by LLC. */
static void assert_cpus(const char *machine, struct ktstr_cpus cpus, const char *expected)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct topo_cpuset set = { 0 };
	struct topo t;
	bool exists;

	assert_success(topo_parse(machine, &t));
	exists = shown_cpus(&cpus, &t, &set);
	assert_int_equal(exists, expected != NULL);
	if (!expected)
		return;
	topo_cpuset_format(&set, &text);
	assert_string_equal(strbuf_str(&text), expected);
}

static void cpus_are_those_of_the_machine(void **state UNUSED)
{
	assert_cpus("2n4l2c2t", (struct ktstr_cpus){ 0 }, "0-15");
	assert_cpus("2n4l2c2t", (struct ktstr_cpus)KTSTR_LLC(0), "0-3");
	assert_cpus("2n4l2c2t", (struct ktstr_cpus)KTSTR_LLC(3), "12-15");
	assert_cpus("2n4l2c2t", (struct ktstr_cpus)KTSTR_NODE(1), "8-15");
	assert_cpus("2n4l2c2t", (struct ktstr_cpus)KTSTR_CPUS(5, 15), "5-15");
	assert_cpus("1n1l1c1t", (struct ktstr_cpus)KTSTR_CPUS(0, 0), "0");
}

static void cpu_sets_the_machine_lacks_do_not_resolve(void **state UNUSED)
{
	assert_cpus("2n4l2c2t", (struct ktstr_cpus)KTSTR_LLC(4), NULL);
	assert_cpus("2n4l2c2t", (struct ktstr_cpus)KTSTR_NODE(2), NULL);
	assert_cpus("2n4l2c2t", (struct ktstr_cpus)KTSTR_CPUS(5, 16), NULL);
	assert_cpus("1n1l1c1t", (struct ktstr_cpus)KTSTR_LLC(8191), NULL);
}

static void a_test_is_resolved_for_its_own_machine(void **state)
{
	struct declared *d = *state;
	_cleanup_shown_test_ struct shown_test shown = { 0 };
	_cleanup_free_ char *missing = xasprintf(
		"my.c:12: fair: no file gone: searched in %s, PATH\n", d->root);

	assert_success(shown_test_init(&shown, &d->suite, &d->suite.tests.at[0], NULL, &d->host));
	assert_int_equal(topo_cpus(&shown.topology), 8);
	assert_true(shown.memory_bytes > 0);
	assert_int_equal(shown.cgroups.n, 2);
	assert_true(shown.cgroups.at[0].exists);
	assert_int_equal(topo_cpuset_next(&shown.cgroups.at[0].cpus, 0), 2);
	assert_int_equal(topo_cpuset_count(&shown.cgroups.at[1].cpus), 4);
	assert_int_equal(shown.files.n, 2);
	assert_string_equal(shown.files.at[1].name, "scx_x");
	assert_string_equal(strbuf_str(&shown.missing), missing);
	/* 5 + (4 + 1) * (20 + 1 + 9) */
	assert_int_equal(shown.limit_ns, UINT64_C(155000000000));
	assert_false(shown.met);
	assert_int_equal(shown.unmet_reason, KTSTR_REASON_NEEDS_SCX);
}

static void another_machine_may_not_have_the_cpus(void **state)
{
	struct declared *d = *state;
	_cleanup_shown_test_ struct shown_test shown = { 0 };
	const struct topo small = TOPO_DEFAULT;

	assert_success(shown_test_init(&shown, &d->suite, &d->suite.tests.at[0], &small, &d->host));
	assert_false(shown.cgroups.at[0].exists);
	assert_int_equal(shown.unmet_reason, KTSTR_REASON_NEEDS_TOPOLOGY);
}

static void declared_memory_and_timeout_are_shown(void **state)
{
	struct declared *d = *state;
	_cleanup_shown_test_ struct shown_test shown = { 0 };

	d->host.emulated = false;
	assert_success(shown_test_init(&shown, &d->suite, &d->suite.tests.at[1], NULL, &d->host));
	assert_int_equal(shown.memory_bytes, 256 << 20);
	assert_int_equal(shown.limit_ns, UINT64_C(3000000000));
	assert_true(shown.met);
	assert_null(shown.unmet);
}

/* A declared timeout of 3 s; two CPUs have 125 MIPS each, which is four times slower than 500. */
static void a_virtual_clock_has_a_speed_and_limits_of_its_own(void **state)
{
	struct declared *d = *state;
	_cleanup_shown_test_ struct shown_test shown = { 0 };

	d->host.clock = VM_CLOCK_VIRTUAL;
	assert_success(shown_test_init(&shown, &d->suite, &d->suite.tests.at[1], NULL, &d->host));
	assert_int_equal(shown.limit_ns, UINT64_C(12000000000));
	assert_true(shown.speed.total_mips > 0);
	assert_float_equal(shown.speed.cpu_mips * topo_cpus(&shown.topology),
			   shown.speed.total_mips, 1e-6);
}

static void checks_are_declared_or_by_default_or_unknown(void **state)
{
	struct declared *d = *state;
	const struct exchange_declared_test *told = &d->suite.tests.at[0],
					    *silent = &d->suite.tests.at[1];

	assert_string_equal(shown_check_source(told, "isolation"), "declared");
	assert_string_equal(shown_check_source(told, "progress"), "default");
	assert_string_equal(shown_check_source(silent, "progress"), "");
}

static void without_a_kernel_nothing_is_compared(void **state)
{
	struct declared *d = *state;
	_cleanup_shown_test_ struct shown_test shown = { 0 };

	d->host.kernel = NULL;
	d->host.no_kernel = "none is cached";
	assert_success(shown_test_init(&shown, &d->suite, &d->suite.tests.at[0], NULL, &d->host));
	assert_null(shown.host->kernel);
	assert_string_equal(shown.unmet, "none is cached");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpus_are_those_of_the_machine),
		cmocka_unit_test(cpu_sets_the_machine_lacks_do_not_resolve),
		DECLARED_TEST(a_test_is_resolved_for_its_own_machine),
		DECLARED_TEST(another_machine_may_not_have_the_cpus),
		DECLARED_TEST(declared_memory_and_timeout_are_shown),
		DECLARED_TEST(a_virtual_clock_has_a_speed_and_limits_of_its_own),
		DECLARED_TEST(checks_are_declared_or_by_default_or_unknown),
		DECLARED_TEST(without_a_kernel_nothing_is_compared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
