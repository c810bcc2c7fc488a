// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include "harness/limits.h"
#include "harness/session.h"
#include "samples.h"

static char id_text[] = "6.1-a", release[] = "6.1.0-cloud", build[] = "aa";
static const struct kernel kernel = { .id = id_text, .release = release, .build_id = build };
static const struct kernel *const kernels[] = { &kernel };

static struct exchange_declared_suite suite;

static int make_suite(void **state UNUSED)
{
	suite = sample_suite("/x/mine", SAMPLE_LISTING(SAMPLE_PLAIN("fair")));
	return 0;
}

static int free_suite(void **state UNUSED)
{
	exchange_declared_suite_deinit(&suite);
	return 0;
}

static struct harness_plan_options options_of(enum vm_clock_kind kind, uint64_t first,
					      uint64_t last)
{
	return (struct harness_plan_options){
		.kernels = kernels,
		.n_kernels = 1,
		.clock = { .kind = kind, .first_seed = first, .last_seed = last },
	};
}

static void check_names(const struct harness_plan_options *options, const char *const *wanted,
			size_t n)
{
	_cleanup_harness_plan_ struct harness_plan plan = { 0 };

	assert_success(harness_plan_make(&suite, 1, options, &plan));
	assert_int_equal(plan.variants.n, n);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(plan.variants.at[i].name, wanted[i]);
}

static void the_name_has_a_seed_unless_it_is_the_only_and_default_one(void **state UNUSED)
{
	struct harness_plan_options options = options_of(VM_CLOCK_VIRTUAL, 1, 1);
	const char *const plain[] = { "mine:fair@1n1l2c1t" };
	const char *const other[] = { "mine:fair@1n1l2c1t,seed=7" };
	const char *const zero[] = { "mine:fair@1n1l2c1t,seed=0" };
	const char *const several[] = { "mine:fair@1n1l2c1t,seed=1", "mine:fair@1n1l2c1t,seed=2",
					"mine:fair@1n1l2c1t,seed=3" };
	const char *const repeats[] = { "mine:fair@1n1l2c1t,seed=7,run=1",
					"mine:fair@1n1l2c1t,seed=7,run=2" };

	check_names(&options, plain, 1);
	options = options_of(VM_CLOCK_VIRTUAL, 7, 7);
	check_names(&options, other, 1);
	options.repeat = 2;
	check_names(&options, repeats, 2);
	options = options_of(VM_CLOCK_VIRTUAL, 0, 0);
	check_names(&options, zero, 1);
	options = options_of(VM_CLOCK_VIRTUAL, 1, 3);
	check_names(&options, several, 3);
	/* A real clock has no seeds. */
	options = options_of(VM_CLOCK_REAL, 5, 9);
	check_names(&options, plain, 1);
}

static void every_variant_has_its_own_seed_and_the_speed_of_its_machine(void **state UNUSED)
{
	struct harness_plan_options options = options_of(VM_CLOCK_VIRTUAL, 4, 6);
	_cleanup_harness_plan_ struct harness_plan plan = { 0 };

	options.clock.mips = 125;
	assert_success(harness_plan_make(&suite, 1, &options, &plan));
	assert_int_equal(plan.variants.n, 3);
	for (size_t i = 0; i < 3; i++) {
		const struct harness_clock *clock = &plan.variants.at[i].clock;

		assert_int_equal(clock->kind, VM_CLOCK_VIRTUAL);
		assert_int_equal(clock->seed, 4 + i);
		assert_int_equal(clock->mips, 125);
		/* Two CPUs. */
		assert_float_equal(clock->speed.total_mips, 250, 0.001);
		assert_float_equal(clock->speed.cpu_mips, 125, 0.001);
	}
}

static void id_of(const struct harness_clock *clock, char ret[HARNESS_VARIANT_ID_CHARS + 1])
{
	harness_plan_variant_id(&suite, &suite.tests.at[0], &suite.tests.at[0].topology, &kernel,
				clock, ret);
}

static void clock_speed_and_seed_change_the_variant_id(void **state UNUSED)
{
	const struct harness_clock clocks[] = {
		{ .kind = VM_CLOCK_REAL },
		{ .kind = VM_CLOCK_VIRTUAL, .speed = { .shift = 2 }, .seed = 1 },
		{ .kind = VM_CLOCK_VIRTUAL, .speed = { .shift = 2 }, .seed = 2 },
		{ .kind = VM_CLOCK_VIRTUAL, .speed = { .shift = 2 }, .seed = UINT64_C(1) << 32 },
		{ .kind = VM_CLOCK_VIRTUAL, .speed = { .shift = 3 }, .seed = 1 },
		{ .kind = VM_CLOCK_VIRTUAL, .speed = { .shift = 0 }, .seed = 0 },
	};
	char ids[ARRAY_SIZE(clocks)][HARNESS_VARIANT_ID_CHARS + 1];

	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
		id_of(&clocks[i], ids[i]);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(ids[i], ids[j]);
	}
}

/* 60 and 62 MIPS of two CPUs are the same machine, so it is the same variant. */
static void what_was_asked_for_is_not_part_of_the_id(void **state UNUSED)
{
	struct harness_clock a = { .kind = VM_CLOCK_VIRTUAL, .speed = { .shift = 3 }, .mips = 60 };
	struct harness_clock b = { .kind = VM_CLOCK_VIRTUAL, .speed = { .shift = 3 }, .mips = 62 };
	char x[HARNESS_VARIANT_ID_CHARS + 1], y[HARNESS_VARIANT_ID_CHARS + 1];

	id_of(&a, x);
	id_of(&b, y);
	assert_string_equal(x, y);
}

static void seeds_and_speeds_that_cannot_be_are_refused(void **state UNUSED)
{
	struct harness_plan_options options = options_of(VM_CLOCK_VIRTUAL, 3, 2);
	struct harness_plan plan;

	assert_error_tag(harness_plan_make(&suite, 1, &options, &plan), "test-plan");
	options = options_of(VM_CLOCK_VIRTUAL, 1, HARNESS_LIMIT_REPEAT + 1);
	assert_error_tag(harness_plan_make(&suite, 1, &options, &plan), "test-plan");
	options = options_of(VM_CLOCK_VIRTUAL, 0, UINT64_MAX);
	assert_error_tag(harness_plan_make(&suite, 1, &options, &plan), "test-plan");
	/* Two CPUs share 1000. */
	options = options_of(VM_CLOCK_VIRTUAL, 1, 1);
	options.clock.mips = 501;
	assert_error_tag(harness_plan_make(&suite, 1, &options, &plan), "mips");
}

static void the_last_seed_of_all_is_a_seed(void **state UNUSED)
{
	struct harness_plan_options options = options_of(VM_CLOCK_VIRTUAL, UINT64_MAX - 1,
							 UINT64_MAX);
	const char *const wanted[] = { "mine:fair@1n1l2c1t,seed=18446744073709551614",
				       "mine:fair@1n1l2c1t,seed=18446744073709551615" };

	check_names(&options, wanted, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_name_has_a_seed_unless_it_is_the_only_and_default_one),
		cmocka_unit_test(every_variant_has_its_own_seed_and_the_speed_of_its_machine),
		cmocka_unit_test(clock_speed_and_seed_change_the_variant_id),
		cmocka_unit_test(what_was_asked_for_is_not_part_of_the_id),
		cmocka_unit_test(seeds_and_speeds_that_cannot_be_are_refused),
		cmocka_unit_test(the_last_seed_of_all_is_a_seed),
	};

	return cmocka_run_group_tests(tests, make_suite, free_suite);
}
