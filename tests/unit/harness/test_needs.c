// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include <stdlib.h>

#include "harness/needs.h"
#include "staged_root.h"

static char id[] = "k", release[] = "6.1.0-cloud", leak[] = "an argument leaks",
	    no_btf[] = "the image has no BTF";
static const char config_text[] = "CONFIG_PSI=y\n# CONFIG_NUMA is not set\n"
				  "CONFIG_SCHED_CLASS_EXT=y\n";
static const struct bytes config = { (const uint8_t *)config_text, sizeof(config_text) - 1 };
static const char old_text[] = "CONFIG_PSI=y\n";
static const struct bytes old_config = { (const uint8_t *)old_text, sizeof(old_text) - 1 };

static const struct kernel usable = { .id = id, .release = release, .scx = KERNEL_SCX_USABLE };
static const struct kernel absent = { .id = id, .release = release, .scx = KERNEL_SCX_ABSENT };
static const struct kernel broken = {
	.id = id, .release = release, .scx = KERNEL_SCX_BROKEN, .scx_reason = leak
};
static const struct kernel unknown = {
	.id = id, .release = release, .scx = KERNEL_SCX_UNKNOWN, .scx_reason = no_btf
};

/* NULL: met. */
static void check(const struct exchange_declared_test *test, const char *topology,
		  const struct kernel *kernel, const struct bytes *bytes, enum ktstr_reason reason,
		  const char *why)
{
	enum ktstr_reason found = KTSTR_REASON_NONE;
	_cleanup_free_ char *said = NULL;
	struct topo t;
	bool met;

	assert_success(topo_parse(topology, &t));
	met = harness_needs_met_with(test, &t, kernel, bytes, &found, &said);
	assert_int_equal(met, why == NULL);
	assert_int_equal(found, reason);
	if (why)
		assert_string_equal(said, why);
	else
		assert_null(said);
}

static void a_test_without_needs_runs_everywhere(void **state UNUSED)
{
	const struct exchange_declared_test test = { 0 };

	check(&test, "1n1l1c1t", &absent, NULL, 0, NULL);
	check(&test, "4n8l4c2t", &broken, &config, 0, NULL);
}

static void machines_have_a_least_and_a_largest_size(void **state UNUSED)
{
	const struct exchange_declared_test cpus = { .needs = { .min_cpus = 4, .max_cpus = 8 } };
	const struct exchange_declared_test llcs = { .needs = { .min_llcs = 2, .max_llcs = 4 } };
	const struct exchange_declared_test nodes = { .needs = { .min_nodes = 2, .max_nodes = 2 } };
	const enum ktstr_reason reason = KTSTR_REASON_NEEDS_TOPOLOGY;

	check(&cpus, "1n1l2c2t", &usable, NULL, 0, NULL);
	check(&cpus, "1n1l4c2t", &usable, NULL, 0, NULL);
	check(&cpus, "1n1l3c1t", &usable, NULL, reason,
	      "the machine has 3 CPUs, the test needs at least 4");
	check(&cpus, "1n3l3c1t", &usable, NULL, reason,
	      "the machine has 9 CPUs, the test takes at most 8");
	check(&llcs, "1n4l1c1t", &usable, NULL, 0, NULL);
	check(&llcs, "1n1l4c1t", &usable, NULL, reason,
	      "the machine has 1 LLCs, the test needs at least 2");
	check(&llcs, "1n5l1c1t", &usable, NULL, reason,
	      "the machine has 5 LLCs, the test takes at most 4");
	check(&nodes, "2n2l1c1t", &usable, NULL, 0, NULL);
	check(&nodes, "1n2l1c1t", &usable, NULL, reason,
	      "the machine has 1 nodes, the test needs at least 2");
	check(&nodes, "4n4l1c1t", &usable, NULL, reason,
	      "the machine has 4 nodes, the test takes at most 2");
}

static void smt_is_two_threads_in_a_core(void **state UNUSED)
{
	const struct exchange_declared_test test = { .needs = { .smt = true } };

	check(&test, "1n1l1c2t", &usable, NULL, 0, NULL);
	check(&test, "1n1l4c1t", &usable, NULL, KTSTR_REASON_NEEDS_TOPOLOGY,
	      "the machine has one thread per core, the test needs SMT");
}

static void a_machine_without_the_cgroups_cpus_is_refused(void **state UNUSED)
{
	char left[] = "left", right[] = "right", all[] = "all";
	struct exchange_declared_cgroup rows[] = {
		{ .name = all, .cpus = { .kind = KTSTR_CPUS_ALL } },
		{ .name = left, .cpus = KTSTR_LLC(0) },
		{ .name = right, .cpus = KTSTR_LLC(1) },
	};
	const struct exchange_declared_test test = { .cgroups = { .at = rows, .n = 3 } };
	const enum ktstr_reason reason = KTSTR_REASON_NEEDS_TOPOLOGY;

	check(&test, "1n2l2c1t", &usable, NULL, 0, NULL);
	check(&test, "1n1l4c1t", &usable, NULL, reason,
	      "cgroup right needs LLC 1, the machine has 1");
	rows[2].cpus = (struct ktstr_cpus)KTSTR_NODE(1);
	check(&test, "2n2l1c1t", &usable, NULL, 0, NULL);
	check(&test, "1n2l1c1t", &usable, NULL, reason,
	      "cgroup right needs node 1, the machine has 1");
	rows[2].cpus = (struct ktstr_cpus)KTSTR_CPUS(2, 3);
	check(&test, "1n2l2c1t", &usable, NULL, 0, NULL);
	check(&test, "1n1l3c1t", &usable, NULL, reason,
	      "cgroup right needs CPU 3, the machine has 3");
}

static void a_scheduler_or_a_declared_need_requires_sched_ext(void **state UNUSED)
{
	char program[] = "scx_x";
	char *argv[] = { program, NULL };
	const struct exchange_declared_test by_word = { .needs = { .sched_ext = true } };
	const struct exchange_declared_test by_argv = { .scheduler = { .argv = { argv, 1 } } };
	const struct exchange_declared_test *tests[] = { &by_word, &by_argv };

	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		check(tests[i], "1n1l1c1t", &usable, NULL, 0, NULL);
		check(tests[i], "1n1l1c1t", &absent, &config, KTSTR_REASON_NEEDS_SCX,
		      "kernel 6.1.0-cloud has no sched_ext");
		check(tests[i], "1n1l1c1t", &broken, &config, KTSTR_REASON_KERNEL_BTF,
		      "kernel 6.1.0-cloud: an argument leaks");
		/* The config knows what the BTF does not. */
		check(tests[i], "1n1l1c1t", &unknown, &old_config, KTSTR_REASON_NEEDS_SCX,
		      "kernel 6.1.0-cloud has no sched_ext");
		check(tests[i], "1n1l1c1t", &unknown, &config, KTSTR_REASON_NO_EVIDENCE,
		      "kernel 6.1.0-cloud: cannot determine whether it has sched_ext: the image has "
		      "no BTF");
		check(tests[i], "1n1l1c1t", &unknown, NULL, KTSTR_REASON_NO_EVIDENCE,
		      "kernel 6.1.0-cloud: cannot determine whether it has sched_ext: the image has "
		      "no BTF");
	}
}

static char psi[] = "CONFIG_PSI", numa[] = "CONFIG_NUMA", hz[] = "CONFIG_HZ=250";
static char *options[] = { psi, numa, hz, NULL };

static void the_first_unmet_kernel_option_is_named(void **state UNUSED)
{
	struct exchange_declared_test test = { .kconfig = { options, 1 } };

	check(&test, "1n1l1c1t", &usable, &config, 0, NULL);
	test.kconfig.n = 3;
	check(&test, "1n1l1c1t", &usable, &config, KTSTR_REASON_NEEDS_KCONFIG,
	      "CONFIG_NUMA is not set");
	test.kconfig.at++;
	test.kconfig.n = 2;
	check(&test, "1n1l1c1t", &usable, &old_config, KTSTR_REASON_NEEDS_KCONFIG,
	      "the config of the kernel does not mention CONFIG_NUMA");
}

static void kernel_options_without_a_config_give_no_evidence(void **state UNUSED)
{
	const struct exchange_declared_test test = { .kconfig = { options, 3 } };

	check(&test, "1n1l1c1t", &usable, NULL, KTSTR_REASON_NO_EVIDENCE,
	      "the test needs CONFIG_PSI, and kernel 6.1.0-cloud has no config that can be read");
}

static void known_missing_needs_come_before_unknown_ones(void **state UNUSED)
{
	const struct exchange_declared_test test = {
		.kconfig = { options, 3 },
		.needs = { .sched_ext = true, .min_cpus = 2 },
	};

	check(&test, "1n1l1c1t", &broken, NULL, KTSTR_REASON_NEEDS_TOPOLOGY,
	      "the machine has 1 CPUs, the test needs at least 2");
	check(&test, "1n1l2c1t", &broken, NULL, KTSTR_REASON_KERNEL_BTF,
	      "kernel 6.1.0-cloud: an argument leaks");
	check(&test, "1n1l2c1t", &unknown, &config, KTSTR_REASON_NEEDS_KCONFIG,
	      "CONFIG_NUMA is not set");
}

static void the_config_of_the_kernel_is_read(void **state UNUSED)
{
	const struct exchange_declared_test test = { .kconfig = { options, 2 } };
	const struct topo t = TOPO_DEFAULT;
	char *root = staged_root_new();
	_cleanup_free_ char *path = staged_path(root, "/config");
	_cleanup_free_ char *why = NULL, *why_not = NULL;
	struct kernel kernel = usable;
	enum ktstr_reason reason;

	kernel.config_path = path;
	assert_false(harness_needs_met(&test, &t, &kernel, &reason, &why));
	assert_int_equal(reason, KTSTR_REASON_NO_EVIDENCE);
	staged_file(root, "/config", config_text, config.n);
	assert_false(harness_needs_met(&test, &t, &kernel, &reason, &why_not));
	assert_int_equal(reason, KTSTR_REASON_NEEDS_KCONFIG);
	assert_string_equal(why_not, "CONFIG_NUMA is not set");
	staged_file(root, "/config", "CONFIG_PSI=m\nCONFIG_NUMA=y\n", 27);
	assert_true(harness_needs_met(&test, &t, &kernel, &reason, &why_not));
	staged_root_free(root);
}

static const char text[] = "#\n"
			   "# Automatically generated file; DO NOT EDIT.\n"
			   "#\n"
			   "CONFIG_CC_VERSION_TEXT=\"gcc (Debian) 14 # CONFIG_PSI is not set\"\n"
			   "CONFIG_PSI=y\n"
			   "# CONFIG_PSI_DEFAULT_DISABLED is not set\n"
			   "CONFIG_HZ=250\n"
			   "CONFIG_HZ_250=y\n"
			   "CONFIG_DUMMY=m\n"
			   "CONFIG_EMPTY=\n"
			   "# CONFIG_SCHED_CLASS_EXT is not set\n"
			   "CONFIG_TWICE=y\n"
			   "# CONFIG_TWICE is not set\n"
			   "# CONFIG_BACK is not set\n"
			   "CONFIG_BACK=y\r\n"
			   "CONFIG_LAST=n";

static const struct bytes kconfig = { (const uint8_t *)text, sizeof(text) - 1 };

static void check_kconfig(const char *wanted, const char *why)
{
	_cleanup_strbuf_ struct strbuf said = STRBUF_INIT;
	bool has = harness_kconfig_has(kconfig, wanted, &said);

	assert_string_equal(strbuf_str(&said), why);
	assert_int_equal(has, !*why);
}

static void an_option_alone_may_be_built_in_or_a_module(void **state UNUSED)
{
	check_kconfig("CONFIG_PSI", "");
	check_kconfig("CONFIG_DUMMY", "");
	check_kconfig("CONFIG_PSI_DEFAULT_DISABLED", "CONFIG_PSI_DEFAULT_DISABLED is not set");
	check_kconfig("CONFIG_HZ", "CONFIG_HZ is 250, not y or m");
	check_kconfig("CONFIG_EMPTY", "CONFIG_EMPTY is , not y or m");
	check_kconfig("CONFIG_LAST", "CONFIG_LAST is n, not y or m");
}

static void a_value_is_compared_whole(void **state UNUSED)
{
	check_kconfig("CONFIG_HZ=250", "");
	check_kconfig("CONFIG_HZ=25", "CONFIG_HZ is 250, not 25");
	check_kconfig("CONFIG_HZ=2500", "CONFIG_HZ is 250, not 2500");
	check_kconfig("CONFIG_DUMMY=y", "CONFIG_DUMMY is m, not y");
	check_kconfig("CONFIG_DUMMY=m", "");
	check_kconfig("CONFIG_EMPTY=", "");
	check_kconfig("CONFIG_SCHED_CLASS_EXT=y", "CONFIG_SCHED_CLASS_EXT is not set");
}

static void a_name_is_compared_whole(void **state UNUSED)
{
	check_kconfig("CONFIG_H", "the config of the kernel does not mention CONFIG_H");
	check_kconfig("CONFIG_HZ_25", "the config of the kernel does not mention CONFIG_HZ_25");
	check_kconfig("CONFIG_HZ_250", "");
	check_kconfig("CONFIG_PSI_DEFAULT",
		      "the config of the kernel does not mention CONFIG_PSI_DEFAULT");
	check_kconfig("PSI", "the config of the kernel does not mention PSI");
}

static void config_value_n_matches_not_set_and_absent(void **state UNUSED)
{
	check_kconfig("CONFIG_SCHED_CLASS_EXT=n", "");
	check_kconfig("CONFIG_NOBODY_KNOWS=n", "");
	check_kconfig("CONFIG_LAST=n", "");
	check_kconfig("CONFIG_PSI=n", "CONFIG_PSI is y, not n");
}

static void the_last_line_counts(void **state UNUSED)
{
	check_kconfig("CONFIG_TWICE", "CONFIG_TWICE is not set");
	check_kconfig("CONFIG_BACK", "");
}

static void option_states_set_not_set_and_absent_differ(void **state UNUSED)
{
	struct bytes value = { 0 };

	assert_int_equal(harness_kconfig_find(kconfig, "CONFIG_HZ", 9, &value),
			 HARNESS_KCONFIG_SET);
	assert_int_equal(value.n, 3);
	assert_memory_equal(value.at, "250", 3);
	assert_int_equal(harness_kconfig_find(kconfig, "CONFIG_TWICE", 12, &value),
			 HARNESS_KCONFIG_NOT_SET);
	assert_int_equal(harness_kconfig_find(kconfig, "CONFIG_ABSENT", 13, &value),
			 HARNESS_KCONFIG_ABSENT);
	/* Untouched when there is none. */
	assert_int_equal(value.n, 3);
	assert_int_equal(harness_kconfig_find((struct bytes){ 0 }, "CONFIG_HZ", 9, &value),
			 HARNESS_KCONFIG_ABSENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_test_without_needs_runs_everywhere),
		cmocka_unit_test(machines_have_a_least_and_a_largest_size),
		cmocka_unit_test(smt_is_two_threads_in_a_core),
		cmocka_unit_test(a_machine_without_the_cgroups_cpus_is_refused),
		cmocka_unit_test(a_scheduler_or_a_declared_need_requires_sched_ext),
		cmocka_unit_test(the_first_unmet_kernel_option_is_named),
		cmocka_unit_test(kernel_options_without_a_config_give_no_evidence),
		cmocka_unit_test(known_missing_needs_come_before_unknown_ones),
		cmocka_unit_test(the_config_of_the_kernel_is_read),
		cmocka_unit_test(an_option_alone_may_be_built_in_or_a_module),
		cmocka_unit_test(a_value_is_compared_whole),
		cmocka_unit_test(a_name_is_compared_whole),
		cmocka_unit_test(config_value_n_matches_not_set_and_absent),
		cmocka_unit_test(the_last_line_counts),
		cmocka_unit_test(option_states_set_not_set_and_absent_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
