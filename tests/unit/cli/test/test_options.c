// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/test/test.h"

#include "report/report.h"
#include "unit.h"

static void format_options_are_in_the_order_of_report_formats(void **state UNUSED)
{
	for (int i = 0; i < REPORT_N_FORMATS; i++)
		assert_string_equal(test_formats[i].word, report_format_names[i]);
	assert_null(report_format_names[REPORT_N_FORMATS]);
}

static void loud_and_quiet_exclude_each_other(void **state UNUSED)
{
	struct test_config config = TEST_DEFAULTS;

	assert_success(test_config_check(&config));
	config.verbose = true;
	assert_success(test_config_check(&config));
	config.quiet = true;
	assert_error_tag(test_config_check(&config), "usage");
}

static void refused(struct test_config config, const char *words)
{
	_cleanup_error_ struct error *err = test_config_check(&config);

	assert_non_null(err);
	assert_string_equal(error_tag(err), "usage");
	assert_contains(error_message(err), words);
}

static void contradictions_about_clocks_are_refused(void **state UNUSED)
{
	refused((struct test_config){ .clock = VM_CLOCK_WISH_VIRTUAL, .accel = VM_ACCEL_WISH_KVM },
		"--clock virtual needs a clock that counts instructions");
	refused((struct test_config){ .seed = "1", .accel = VM_ACCEL_WISH_KVM }, "--seed needs");
	refused((struct test_config){ .seeds = "1..2", .clock = VM_CLOCK_WISH_REAL },
		"--seeds needs a virtual clock, which --clock real excludes");
	refused((struct test_config){ .mips = 62, .clock = VM_CLOCK_WISH_REAL }, "--mips needs");
	refused((struct test_config){ .seed = "1", .seeds = "1..2" }, "exclude each other");
	refused((struct test_config){ .seed = "1", .repeat = 2 },
		"--seed and --repeat exclude each other");
	refused((struct test_config){ .seeds = "1..2", .repeat = 2 },
		"--seeds and --repeat exclude each other");
}

static void seeds_are_numbers(void **state UNUSED)
{
	static const char *const bad_seed[] = {
		"", "x", "-1", "1..2", "1.", "18446744073709551616"
	};
	static const char *const bad_seeds[] = { "",	 "1",	  "1.",	  "1..", "..2", "1...2",
						 "2..1", "1..2x", "a..b", "1-2", "1.2" };
	struct test_config config = { .seeds = "5..7" };

	for (size_t i = 0; i < ARRAY_SIZE(bad_seed); i++)
		refused((struct test_config){ .seed = bad_seed[i] }, "expected a number");
	for (size_t i = 0; i < ARRAY_SIZE(bad_seeds); i++)
		refused((struct test_config){ .seeds = bad_seeds[i] }, "expected two numbers");
	refused((struct test_config){ .seeds = "0..100000" }, "more than 100000 seeds");
	assert_success(test_config_check(&config));
	assert_int_equal(config.first_seed, 5);
	assert_int_equal(config.last_seed, 7);
	config = (struct test_config){ .seed = "18446744073709551615" };
	assert_success(test_config_check(&config));
	assert_true(config.first_seed == UINT64_MAX && config.last_seed == UINT64_MAX);
}

static struct harness_plan_clock clock_of(struct test_config config)
{
	assert_success(test_config_check(&config));
	return test_clock(&config);
}

static void repeats_are_seeds_of_a_virtual_clock(void **state UNUSED)
{
	struct harness_plan_clock clock = clock_of(
		(struct test_config){ .clock = VM_CLOCK_WISH_VIRTUAL, .repeat = 3 });

	assert_int_equal(clock.kind, VM_CLOCK_VIRTUAL);
	assert_int_equal(clock.first_seed, 1);
	assert_int_equal(clock.last_seed, 3);
	clock = clock_of((struct test_config){ .clock = VM_CLOCK_WISH_VIRTUAL, .repeat = 1 });
	assert_int_equal(clock.first_seed, 1);
	assert_int_equal(clock.last_seed, 1);
}

static void seed_and_speed_ask_for_the_virtual_clock(void **state UNUSED)
{
	struct harness_plan_clock clock = clock_of(
		(struct test_config){ .seed = "9", .repeat = 1 });

	assert_int_equal(clock.kind, VM_CLOCK_VIRTUAL);
	assert_int_equal(clock.first_seed, 9);
	assert_int_equal(clock.last_seed, 9);
	clock = clock_of((struct test_config){ .mips = 31 });
	assert_int_equal(clock.kind, VM_CLOCK_VIRTUAL);
	assert_int_equal(clock.mips, 31);
	clock = clock_of((struct test_config){ .clock = VM_CLOCK_WISH_REAL });
	assert_int_equal(clock.kind, VM_CLOCK_REAL);
}

/* The promises of the manual, row by row. */
static const struct {
	size_t pass, fail, skip, broken, inconclusive;
	bool interrupted;
	int status, bisect;
} rows[] = {
	{ 3, 0, 0, 0, 0, false, 0, 0 },	   { 3, 0, 2, 0, 0, false, 0, 0 },
	{ 0, 0, 2, 0, 0, false, 0, 125 },  { 3, 1, 0, 0, 0, false, 1, 1 },
	{ 3, 1, 0, 1, 1, false, 1, 1 },	   { 3, 0, 0, 1, 0, false, 3, 125 },
	{ 3, 0, 0, 0, 1, false, 3, 125 },  { 0, 0, 0, 0, 0, false, 0, 125 },
	{ 1, 0, 0, 0, 1, true, 130, 130 }, { 1, 1, 0, 0, 1, true, 130, 130 },
};

static void every_row_of_the_table_holds(void **state UNUSED)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct test_counts counts = {
			.by_verdict = { [KTSTR_PASS] = rows[i].pass,
					[KTSTR_FAIL] = rows[i].fail,
					[KTSTR_SKIP] = rows[i].skip,
					[KTSTR_BROKEN] = rows[i].broken,
					[KTSTR_INCONCLUSIVE] = rows[i].inconclusive },
			.interrupted = rows[i].interrupted,
		};

		assert_int_equal(test_exit_status(&counts, false), rows[i].status);
		assert_int_equal(test_exit_status(&counts, true), rows[i].bisect);
	}
}

static void bisecting_skips_a_commit_that_could_not_be_run(void **state UNUSED)
{
	assert_int_equal(test_exit_unready(false), 2);
	assert_int_equal(test_exit_unready(true), 125);
	assert_int_equal(test_exit_untold(0, false), 3);
	assert_int_equal(test_exit_untold(0, true), 125);
	assert_int_equal(test_exit_untold(1, true), 1);
	assert_int_equal(test_exit_untold(130, false), 130);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(format_options_are_in_the_order_of_report_formats),
		cmocka_unit_test(loud_and_quiet_exclude_each_other),
		cmocka_unit_test(contradictions_about_clocks_are_refused),
		cmocka_unit_test(seeds_are_numbers),
		cmocka_unit_test(repeats_are_seeds_of_a_virtual_clock),
		cmocka_unit_test(seed_and_speed_ask_for_the_virtual_clock),
		cmocka_unit_test(every_row_of_the_table_holds),
		cmocka_unit_test(bisecting_skips_a_commit_that_could_not_be_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
