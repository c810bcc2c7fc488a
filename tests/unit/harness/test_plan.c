// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include <inttypes.h>
#include <stdlib.h>

#include "harness/limits.h"
#include "harness/session.h"
#include "samples.h"

static char k1_id[] = "6.1-a", k1_release[] = "6.1.0-cloud", k1_build[] = "aa";
static char k2_id[] = "6.2-b", k2_release[] = "6.2.0-cloud", k2_build[] = "bb";
static char k3_id[] = "6.1-c", k3_build[] = "cc";
static const struct kernel kernel_1 = { .id = k1_id, .release = k1_release, .build_id = k1_build };
static const struct kernel kernel_2 = { .id = k2_id, .release = k2_release, .build_id = k2_build };
/* Another build of the first one's release. */
static const struct kernel kernel_3 = { .id = k3_id, .release = k1_release, .build_id = k3_build };

static const struct kernel *const kernels[] = { &kernel_1, &kernel_2, &kernel_1 };

static struct exchange_declared_suite suites[2];

static int make_suites(void **state UNUSED)
{
	suites[0] = sample_suite("/x/second", SAMPLE_LISTING(SAMPLE_PLAIN("fair") "," //
							     SAMPLE_PLAIN("alone")));
	suites[1] = sample_suite("/x/first", SAMPLE_LISTING(SAMPLE_TEST("fair")));
	return 0;
}

static int free_suites(void **state UNUSED)
{
	exchange_declared_suite_deinit(&suites[0]);
	exchange_declared_suite_deinit(&suites[1]);
	return 0;
}

/* Plans and compares the names in their order. */
static void check_plan(const struct harness_plan_options *options, const char *const *wanted,
		       size_t n)
{
	_cleanup_harness_plan_ struct harness_plan plan = { 0 };

	assert_success(harness_plan_make(suites, 2, options, &plan));
	for (size_t i = 0; i < plan.variants.n && i < n; i++)
		assert_string_equal(plan.variants.at[i].name, wanted[i]);
	assert_int_equal(plan.variants.n, n);
}

static void all_tests_run_on_their_own_machine(void **state UNUSED)
{
	const struct harness_plan_options options = { .kernels = kernels, .n_kernels = 1 };
	const char *const wanted[] = { "second:alone@1n1l2c1t", "second:fair@1n1l2c1t",
				       "first:fair@1n2l2c1t" };

	check_plan(&options, wanted, ARRAY_SIZE(wanted));
}

static void topologies_kernels_and_repeats_multiply_in_that_order(void **state UNUSED)
{
	const char *const patterns[] = { "alone" };
	/* The second is the first by another name. */
	const char *const topologies[] = { "1n1l4c1t", "tiny-1llc", "2n2l1c1t,mem=1G:1G" };
	const struct harness_plan_options options = {
		.patterns = patterns,
		.n_patterns = 1,
		.topologies = topologies,
		.n_topologies = 3,
		.kernels = kernels,
		.n_kernels = 3,
		.repeat = 2,
	};
	const char *const wanted[] = {
		"second:alone@1n1l4c1t,6.1.0-cloud,run=1",
		"second:alone@1n1l4c1t,6.1.0-cloud,run=2",
		"second:alone@1n1l4c1t,6.2.0-cloud,run=1",
		"second:alone@1n1l4c1t,6.2.0-cloud,run=2",
		"second:alone@2n2l1c1t,mem=1G:1G,6.1.0-cloud,run=1",
		"second:alone@2n2l1c1t,mem=1G:1G,6.1.0-cloud,run=2",
		"second:alone@2n2l1c1t,mem=1G:1G,6.2.0-cloud,run=1",
		"second:alone@2n2l1c1t,mem=1G:1G,6.2.0-cloud,run=2",
	};

	check_plan(&options, wanted, ARRAY_SIZE(wanted));
}

static void a_variant_has_its_test_topology_kernel_and_repeat(void **state UNUSED)
{
	const char *const topologies[] = { "1n1l1c2t" };
	const struct harness_plan_options options = {
		.topologies = topologies,
		.n_topologies = 1,
		.kernels = kernels,
		.n_kernels = 2,
		.repeat = 3,
	};
	_cleanup_harness_plan_ struct harness_plan plan = { 0 };
	const struct harness_variant *last;
	char id[HARNESS_VARIANT_ID_CHARS + 1];

	assert_success(harness_plan_make(suites, 2, &options, &plan));
	assert_int_equal(plan.variants.n, 3 * 1 * 2 * 3);
	last = &plan.variants.at[17];
	assert_ptr_equal(last->suite, &suites[1]);
	assert_ptr_equal(last->test, &suites[1].tests.at[0]);
	assert_int_equal(last->topology.threads, 2);
	assert_int_equal(last->kernel_index, 1);
	assert_ptr_equal(last->kernel, &kernel_2);
	assert_int_equal(last->repeat_index, 2);
	/* Of the machine that is booted, not of the one that was declared. */
	harness_plan_variant_id(last->suite, last->test, &last->topology, last->kernel,
				&last->clock, id);
	assert_string_equal(last->id, id);
	assert_string_equal(last->id, plan.variants.at[16].id);
	assert_string_not_equal(last->id, plan.variants.at[14].id);
}

static void kernels_of_one_release_are_named_by_id(void **state UNUSED)
{
	const struct kernel *const twins[] = { &kernel_1, &kernel_3 };
	const char *const patterns[] = { "first" };
	const struct harness_plan_options options = {
		.patterns = patterns, .n_patterns = 1, .kernels = twins, .n_kernels = 2
	};
	const char *const wanted[] = { "first:fair@1n2l2c1t,6.1-a", "first:fair@1n2l2c1t,6.1-c" };

	check_plan(&options, wanted, ARRAY_SIZE(wanted));
}

static void a_pattern_is_a_part_of_the_name_or_a_glob_for_all_of_it(void **state UNUSED)
{
	static const struct {
		const char *pattern;
		bool alone, second_fair, first_fair;
	} rows[] = {
		{ "fair", false, true, true },
		{ "second:", true, true, false },
		{ "first:fair", false, false, true },
		{ "d:a", true, false, false },
		{ "", true, true, true },
		{ "*:fair", false, true, true },
		{ "fair*", false, false, false },
		{ "*a?r", false, true, true },
		{ "[fx]irst:*", false, false, true },
		{ "*", true, true, true },
		{ "FAIR", false, false, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *p = rows[i].pattern;

		assert_int_equal(
			harness_plan_pattern_matches(p, &suites[0], &suites[0].tests.at[0]),
			rows[i].alone);
		assert_int_equal(
			harness_plan_pattern_matches(p, &suites[0], &suites[0].tests.at[1]),
			rows[i].second_fair);
		assert_int_equal(
			harness_plan_pattern_matches(p, &suites[1], &suites[1].tests.at[0]),
			rows[i].first_fair);
	}
}

static void several_patterns_add_up_and_no_test_comes_twice(void **state UNUSED)
{
	const char *const patterns[] = { "alone", "second", "first:*" };
	const struct harness_plan_options options = {
		.patterns = patterns, .n_patterns = 3, .kernels = kernels, .n_kernels = 1
	};
	const char *const wanted[] = { "second:alone@1n1l2c1t", "second:fair@1n1l2c1t",
				       "first:fair@1n2l2c1t" };

	check_plan(&options, wanted, ARRAY_SIZE(wanted));
}

static void a_pattern_without_a_test_is_an_error_though_others_have_some(void **state UNUSED)
{
	const char *const patterns[] = { "fair", "fiar" };
	const struct harness_plan_options options = {
		.patterns = patterns, .n_patterns = 2, .kernels = kernels, .n_kernels = 1
	};
	struct harness_plan plan = { .variants = { .n = 77 } };
	_cleanup_error_ struct error *err = harness_plan_make(suites, 2, &options, &plan);

	assert_true(error_is(err, &harness_error_domain, HARNESS_PATTERN));
	assert_string_equal(error_message(err), "no test matches 'fiar'");
	assert_int_equal(plan.variants.n, 77);
	assert_string_equal(harness_plan_find_unmatched(&options, suites, 2), "fiar");
}

static void impossible_plans_are_refused(void **state UNUSED)
{
	const char *const topologies[] = { "1n1l1c1t", "0n1l1c1t" };
	struct harness_plan_options options = { .kernels = kernels, .n_kernels = 0 };
	struct harness_plan plan;

	assert_error_tag(harness_plan_make(suites, 2, &options, &plan), "test-plan");
	options.n_kernels = 1;
	options.repeat = HARNESS_LIMIT_REPEAT + 1;
	assert_error_tag(harness_plan_make(suites, 2, &options, &plan), "test-plan");
	/* Three tests of so many are too many variants. */
	options.repeat = HARNESS_LIMIT_VARIANTS / 3 + 1;
	assert_error_tag(harness_plan_make(suites, 2, &options, &plan), "test-plan");
	options.repeat = 1;
	options.topologies = topologies;
	options.n_topologies = 2;
	assert_error_tag(harness_plan_make(suites, 2, &options, &plan), "topology-range");
}

/* Files may have any name; a plan with two equal ones is never given out. */
static void names_that_would_be_equal_are_refused(void **state UNUSED)
{
	char name[] = "same";
	struct exchange_declared_suite twins[] = { suites[1], suites[1] };
	const struct harness_plan_options options = { .kernels = kernels, .n_kernels = 1 };
	struct harness_plan plan;
	_cleanup_error_ struct error *err = NULL;

	twins[0].name = twins[1].name = name;
	err = harness_plan_make(twins, 2, &options, &plan);
	assert_true(error_is(err, &harness_error_domain, HARNESS_PLAN));
	assert_string_equal(error_message(err), "two variants would be called same:fair@1n2l2c1t");
}

static void names_need_no_kernel(void **state UNUSED)
{
	struct exchange_declared_suite suite = sample_suite("/x/s",
							    SAMPLE_LISTING(SAMPLE_PLAIN("alone")));
	struct harness_plan_options options = { .repeat = 2, .names_only = true };
	_cleanup_harness_plan_ struct harness_plan plan = { 0 };

	assert_success(harness_plan_make(&suite, 1, &options, &plan));
	assert_int_equal(plan.variants.n, 2);
	assert_contains(plan.variants.at[1].name, ":alone@");
	assert_contains(plan.variants.at[1].name, ",run=2");
	options.names_only = false;
	assert_error_tag(harness_plan_make(&suite, 1, &options, &plan), "test-plan");
	exchange_declared_suite_deinit(&suite);
}

/* Names the paths and compares with what is wanted. */
static void check_names(const char *const *paths, const char *const *wanted, size_t n)
{
	struct exchange_declared_suite named[8] = { 0 };

	for (size_t i = 0; i < n; i++) {
		named[i].path = xstrdup(paths[i]);
		named[i].name = xstrdup("listed");
	}
	assert_success(harness_plan_name_suites(named, n));
	for (size_t i = 0; i < n; i++)
		assert_string_equal(named[i].name, wanted[i]);
	for (size_t i = 0; i < n; i++)
		exchange_declared_suite_deinit(&named[i]);
}

static void a_unique_base_name_is_the_suite_name(void **state UNUSED)
{
	const char *const paths[] = { "/a/b/one", "/a/b/two", "/oneone" };
	const char *const names[] = { "one", "two", "oneone" };

	check_names(paths, names, 3);
}

static void suite_names_take_the_shortest_distinct_path_end(void **state UNUSED)
{
	const char *const paths[] = { "/x/debug/t", "/x/release/t", "/y/release/t", "/x/other" };
	const char *const names[] = { "debug/t", "x/release/t", "y/release/t", "other" };

	check_names(paths, names, 4);
}

static void a_path_that_is_the_end_of_another_is_kept_whole(void **state UNUSED)
{
	const char *const paths[] = { "/a/t", "/b/a/t", "/t" };
	const char *const names[] = { "/a/t", "b/a/t", "/t" };

	check_names(paths, names, 3);
}

static void the_same_binary_twice_is_refused(void **state UNUSED)
{
	char a[] = "/a/t", b[] = "/b/t", again[] = "/a/t";
	struct exchange_declared_suite named[] = { { .path = a },
						   { .path = b },
						   { .path = again } };
	_cleanup_error_ struct error *err = harness_plan_name_suites(named, 3);

	assert_true(error_is(err, &harness_error_domain, HARNESS_PLAN));
	assert_string_equal(error_message(err), "/a/t was given twice");
}

/* Everything that an id is made of, to be changed one by one. */
struct variation {
	const char *suite, *test, *topology;
	const char *argv[4], *sysctls[4], *kernel_args[4];
	const char *build_id, *kernel_id;
	unsigned int memory_mb;
};

static struct exchange_text_list list_of(const char *const rows[4])
{
	struct exchange_text_list list = { .at = (char **)(uintptr_t)rows };

	while (list.n < 3 && rows[list.n])
		list.n++;
	return list;
}

static void id_of(const struct variation *v, char ret[HARNESS_VARIANT_ID_CHARS + 1])
{
	struct exchange_declared_suite suite = { .name = (char *)(uintptr_t)v->suite };
	struct exchange_declared_test test = {
		.name = (char *)(uintptr_t)v->test,
		.memory_mb = v->memory_mb,
		.scheduler = { .argv = list_of(v->argv),
			       .sysctls = list_of(v->sysctls),
			       .kernel_args = list_of(v->kernel_args) },
	};
	struct kernel kernel = { .id = (char *)(uintptr_t)v->kernel_id,
				 .build_id = (char *)(uintptr_t)v->build_id };
	const struct harness_clock real = { .kind = VM_CLOCK_REAL };
	struct topo topology;

	assert_success(topo_parse(v->topology, &topology));
	harness_plan_variant_id(&suite, &test, &topology, &kernel, &real, ret);
}

static const struct variation base = {
	.suite = "mytests",
	.test = "fair",
	.topology = "1n1l2c1t",
	.argv = { "ab", "c" },
	.sysctls = { "k=1" },
	.kernel_args = { "x" },
	.build_id = "00ff",
	.kernel_id = "k",
	.memory_mb = 512,
};

/* FNV-1a as its authors write it, over bytes laid out by hand. */
static void the_id_is_the_documented_hash(void **state UNUSED)
{
	static const struct {
		uint64_t number;
		const char *text;
	} bytes[] = {
		{ 7, "mytests" }, { 4, "fair" }, { 8, "1n1l2c1t" }, { 2, "" },
		{ 2, "ab" },	  { 1, "c" },	 { 1, "" },	    { 3, "k=1" },
		{ 1, "" },	  { 1, "x" },	 { 4, "00ff" },	    { 512 << 20, "" },
	};
	uint64_t hash = UINT64_C(14695981039346656037);
	char wanted[17], id[HARNESS_VARIANT_ID_CHARS + 1];

	for (size_t i = 0; i < ARRAY_SIZE(bytes); i++) {
		for (int shift = 0; shift < 64; shift += 8) {
			hash ^= (bytes[i].number >> shift) & 0xff;
			hash *= UINT64_C(1099511628211);
		}
		for (const char *c = bytes[i].text; *c; c++) {
			hash ^= (unsigned char)*c;
			hash *= UINT64_C(1099511628211);
		}
	}
	snprintf(wanted, sizeof(wanted), "%016" PRIx64, hash);
	id_of(&base, id);
	assert_string_equal(id, wanted);
}

static void every_part_and_every_boundary_changes_the_variant_id(void **state UNUSED)
{
	struct variation v[24];
	char ids[ARRAY_SIZE(v)][HARNESS_VARIANT_ID_CHARS + 1];
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(v); i++)
		v[i] = base;
	n++;
	v[n++].test = "fai";
	v[n++].suite = "mytest";
	v[n].test = "fairm";
	v[n++].suite = "ytests";
	v[n++].topology = "1n1l1c2t";
	v[n++].topology = "1n1l2c1t,mem=512M";
	memcpy(v[n++].argv, (const char *[4]){ "a", "bc" }, sizeof(base.argv));
	memcpy(v[n++].argv, (const char *[4]){ "abc" }, sizeof(base.argv));
	memcpy(v[n++].argv, (const char *[4]){ "ab", "c", "" }, sizeof(base.argv));
	memcpy(v[n++].argv, (const char *[4]){ NULL }, sizeof(base.argv));
	/* A row passes from one list to the next. */
	memcpy(v[n].argv, (const char *[4]){ "ab", "c", "k=1" }, sizeof(base.argv));
	memcpy(v[n++].sysctls, (const char *[4]){ NULL }, sizeof(base.argv));
	memcpy(v[n].sysctls, (const char *[4]){ "k=1", "x" }, sizeof(base.argv));
	memcpy(v[n++].kernel_args, (const char *[4]){ NULL }, sizeof(base.argv));
	memcpy(v[n++].sysctls, (const char *[4]){ NULL }, sizeof(base.argv));
	memcpy(v[n++].kernel_args, (const char *[4]){ NULL }, sizeof(base.argv));
	v[n++].build_id = "00fe";
	v[n++].build_id = NULL;
	v[n].build_id = NULL;
	v[n++].kernel_id = "other";
	v[n++].memory_mb = 0;
	v[n++].memory_mb = 1024;

	for (size_t i = 0; i < n; i++) {
		id_of(&v[i], ids[i]);
		for (size_t j = 0; j < i; j++)
			if (strcmp(ids[i], ids[j]) == 0)
				fail_msg("variations %zu and %zu share %s", i, j, ids[i]);
	}
}

static void the_kernels_directory_is_ignored_if_it_has_a_build_id(void **state UNUSED)
{
	struct variation other = base;
	char a[HARNESS_VARIANT_ID_CHARS + 1], b[HARNESS_VARIANT_ID_CHARS + 1];

	other.kernel_id = "elsewhere";
	id_of(&base, a);
	id_of(&other, b);
	assert_string_equal(a, b);
}

static const struct variation plain = {
	.suite = "mytests",
	.test = "fair",
	.topology = "1n2l2c1t",
	.argv = { "scx_a", "-s", "5" },
	.build_id = "0a0b",
	.kernel_id = "k",
	.memory_mb = 512,
};

static bool same(const struct variation *a, const struct variation *b)
{
	char x[HARNESS_VARIANT_ID_CHARS + 1], y[HARNESS_VARIANT_ID_CHARS + 1];

	id_of(a, x);
	id_of(b, y);
	assert_int_equal(strlen(x), 16);
	assert_int_equal(strspn(x, "0123456789abcdef"), 16);
	return strcmp(x, y) == 0;
}

static void the_id_is_the_same_for_the_same_variant(void **state UNUSED)
{
	struct variation other = plain;

	other.argv[0] = (const char[]){ "scx_a" };
	assert_true(same(&plain, &other));
}

/* FNV-1a over lengths and bytes, done by hand in Python. */
static void the_id_never_changes_between_versions(void **state UNUSED)
{
	char id[HARNESS_VARIANT_ID_CHARS + 1];

	id_of(&plain, id);
	assert_string_equal(id, "487f799036bd279b");
}

static void every_boot_setting_changes_the_variant_id(void **state UNUSED)
{
	struct variation changed[8];

	for (size_t i = 0; i < ARRAY_SIZE(changed); i++)
		changed[i] = plain;
	changed[0].test = "fair2";
	changed[1].topology = "1n1l4c1t";
	changed[2].argv[2] = NULL;
	changed[3].build_id = "0a0c";
	changed[4].sysctls[0] = "kernel.x=1";
	changed[5].kernel_args[0] = "kernel.x=1";
	changed[6].memory_mb++;
	changed[7].suite = "others";
	for (size_t i = 0; i < ARRAY_SIZE(changed); i++) {
		assert_false(same(&plain, &changed[i]));
		for (size_t j = 0; j < i; j++)
			assert_false(same(&changed[j], &changed[i]));
	}
}

static void argument_boundaries_change_the_variant_id(void **state UNUSED)
{
	static const char *const argvs[][2] = {
		{ "ab", "c" }, { "a", "bc" }, { "ab c" }, { "" }, { NULL }
	};
	struct variation v[ARRAY_SIZE(argvs)];

	for (size_t i = 0; i < ARRAY_SIZE(v); i++) {
		v[i] = plain;
		v[i].argv[0] = argvs[i][0];
		v[i].argv[1] = argvs[i][1];
		v[i].argv[2] = NULL;
		for (size_t j = 0; j < i; j++)
			assert_false(same(&v[i], &v[j]));
	}
}

static void an_unknown_build_id_differs_from_an_empty_one(void **state UNUSED)
{
	struct variation a = plain, b = plain;

	a.build_id = NULL;
	b.build_id = "";
	assert_false(same(&a, &b));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_tests_run_on_their_own_machine),
		cmocka_unit_test(topologies_kernels_and_repeats_multiply_in_that_order),
		cmocka_unit_test(a_variant_has_its_test_topology_kernel_and_repeat),
		cmocka_unit_test(kernels_of_one_release_are_named_by_id),
		cmocka_unit_test(a_pattern_is_a_part_of_the_name_or_a_glob_for_all_of_it),
		cmocka_unit_test(several_patterns_add_up_and_no_test_comes_twice),
		cmocka_unit_test(a_pattern_without_a_test_is_an_error_though_others_have_some),
		cmocka_unit_test(impossible_plans_are_refused),
		cmocka_unit_test(names_that_would_be_equal_are_refused),
		cmocka_unit_test(names_need_no_kernel),
		cmocka_unit_test(a_unique_base_name_is_the_suite_name),
		cmocka_unit_test(suite_names_take_the_shortest_distinct_path_end),
		cmocka_unit_test(a_path_that_is_the_end_of_another_is_kept_whole),
		cmocka_unit_test(the_same_binary_twice_is_refused),
		cmocka_unit_test(the_id_is_the_documented_hash),
		cmocka_unit_test(every_part_and_every_boundary_changes_the_variant_id),
		cmocka_unit_test(the_kernels_directory_is_ignored_if_it_has_a_build_id),
		cmocka_unit_test(the_id_is_the_same_for_the_same_variant),
		cmocka_unit_test(the_id_never_changes_between_versions),
		cmocka_unit_test(every_boot_setting_changes_the_variant_id),
		cmocka_unit_test(argument_boundaries_change_the_variant_id),
		cmocka_unit_test(an_unknown_build_id_differs_from_an_empty_one),
	};

	return cmocka_run_group_tests(tests, make_suites, free_suites);
}
