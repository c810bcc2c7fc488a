// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include "suite/dir.h"
#include "suite/system.h"

static void dots_of_a_sysctl_name_are_directories(void **state UNUSED)
{
	_cleanup_test_dir_ struct dir dir;
	_cleanup_free_ char *text = NULL;

	dir_init(&dir);
	dir_write(&dir, "kernel/sched_x", "");
	assert_success(suite_settings_write(dir.path, "kernel.sched_x=1 2.5=3"));
	text = dir_read(&dir, "kernel/sched_x");
	assert_string_equal(text, "1 2.5=3");
}

static void a_missing_file_is_an_error_that_names_it(void **state UNUSED)
{
	_cleanup_test_dir_ struct dir dir;
	struct error *err;

	dir_init(&dir);
	err = suite_settings_write(dir.path, "kernel.none=1");
	assert_non_null(err);
	assert_string_equal(error_message(err), "sysctl kernel.none=1: No such file or directory");
	error_free(err);
	assert_error_tag(suite_settings_write(dir.path, "kernel.none"), "parse");
}

static void missing_slowness_is_that_of_real_hardware(void **state UNUSED)
{
	double value = 0;

	assert_success(suite_slowness_parse(NULL, &value));
	assert_true(value == 1);
	assert_success(suite_slowness_parse("12.5", &value));
	assert_true(value == 12.5);
}

static void malformed_slowness_is_refused(void **state UNUSED)
{
	static const char *const wrong[] = { "", "0", "0.5", "-3", "x", "2x", "nan", "inf", "1e9" };
	double value = 7;

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_error_tag(suite_slowness_parse(wrong[i], &value), "parse");
	assert_true(value == 7);
}

static void a_seed_is_a_number_and_0_when_missing(void **state UNUSED)
{
	static const char *const wrong[] = { "", "-1", "0x1", "1 ", "18446744073709551616" };
	uint64_t seed = 7;

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_error_tag(suite_seed_parse(wrong[i], &seed), "parse");
	assert_true(seed == 7);
	assert_success(suite_seed_parse(NULL, &seed));
	assert_true(seed == 0);
	assert_success(suite_seed_parse("18446744073709551615", &seed));
	assert_true(seed == UINT64_MAX);
}

static void limits_are_rounded_up(void **state UNUSED)
{
	assert_int_equal(suite_slowness_scaled_ms(1, 5000), 5000);
	assert_int_equal(suite_slowness_scaled_ms(1.5, 3), 5);
	assert_int_equal(suite_slowness_scaled_ms(10, 0), 0);
}

/* CPUs 0 to 7, LLCs of 0, 1, 4, 5 and of the others, nodes 0 and 2. */
static struct topo_machine *machine(void)
{
	struct topo_cpuset cpus = { 0 }, nodes = { 0 };
	struct topo_machine *m;

	topo_cpuset_add_range(&cpus, 0, 7);
	topo_cpuset_add(&nodes, 0);
	topo_cpuset_add(&nodes, 2);
	m = topo_machine_new(&cpus, &nodes);
	for (unsigned int i = 0; i < 8; i++) {
		m->cpus[i].llc = i % 4 < 2 ? 0 : 2;
		m->cpus[i].node = i < 6 ? 0 : 2;
	}
	return m;
}

static void expect(const struct topo_machine *m, struct ktstr_cpus cpus, const char *expected)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct topo_cpuset set;

	assert_success(suite_cpus_resolve(&cpus, m, &set));
	topo_cpuset_format(&set, &text);
	assert_string_equal(strbuf_str(&text), expected);
}

static void llcs_are_counted_and_nodes_have_numbers(void **state UNUSED)
{
	_cleanup_topo_machine_ struct topo_machine *m = machine();

	expect(m, (struct ktstr_cpus){ 0 }, "0-7");
	expect(m, (struct ktstr_cpus)KTSTR_LLC(0), "0-1,4-5");
	expect(m, (struct ktstr_cpus)KTSTR_LLC(1), "2-3,6-7");
	expect(m, (struct ktstr_cpus)KTSTR_NODE(0), "0-5");
	expect(m, (struct ktstr_cpus)KTSTR_NODE(2), "6-7");
	expect(m, (struct ktstr_cpus)KTSTR_CPUS(3, 5), "3-5");
}

static void cpus_the_machine_lacks_are_absent(void **state UNUSED)
{
	_cleanup_topo_machine_ struct topo_machine *m = machine();
	static const struct ktstr_cpus wrong[] = { KTSTR_LLC(2), KTSTR_NODE(1), KTSTR_CPUS(7, 8) };
	struct topo_cpuset set;

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_error_tag(suite_cpus_resolve(&wrong[i], m, &set), "absent");
}

static void an_unknown_cache_is_not_guessed(void **state UNUSED)
{
	_cleanup_topo_machine_ struct topo_machine *m = machine();
	struct ktstr_cpus llc = KTSTR_LLC(1);
	struct topo_cpuset set;

	m->cpus[0].llc = TOPO_ABSENT;
	assert_error_tag(suite_cpus_resolve(&llc, m, &set), "topology-unknown");
}

static void a_kernel_without_numa_has_one_node(void **state UNUSED)
{
	_cleanup_topo_machine_ struct topo_machine *m = machine();
	struct ktstr_cpus one = KTSTR_NODE(1);
	struct topo_cpuset set;

	m->no_numa = true;
	for (unsigned int i = 0; i < m->n_cpus; i++)
		m->cpus[i].node = TOPO_ABSENT;
	expect(m, (struct ktstr_cpus)KTSTR_NODE(0), "0-7");
	assert_error_tag(suite_cpus_resolve(&one, m, &set), "absent");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dots_of_a_sysctl_name_are_directories),
		cmocka_unit_test(a_missing_file_is_an_error_that_names_it),
		cmocka_unit_test(missing_slowness_is_that_of_real_hardware),
		cmocka_unit_test(malformed_slowness_is_refused),
		cmocka_unit_test(a_seed_is_a_number_and_0_when_missing),
		cmocka_unit_test(limits_are_rounded_up),
		cmocka_unit_test(llcs_are_counted_and_nodes_have_numbers),
		cmocka_unit_test(cpus_the_machine_lacks_are_absent),
		cmocka_unit_test(an_unknown_cache_is_not_guessed),
		cmocka_unit_test(a_kernel_without_numa_has_one_node),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
