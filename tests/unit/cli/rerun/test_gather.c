// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/rerun/rerun.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"

static char *word(const char *text)
{
	return (char *)(uintptr_t)text;
}

static struct result_run sample(void)
{
	struct result_run past = { .test = word("fair"), .suite = word("b/mytests") };

	past.rerun.binary.path = word("/a/b/mytests");
	past.rerun.test = past.test;
	past.rerun.topology = word("1n1l1c1t");
	past.rerun.kernel_id = word("6.18.15-mine");
	past.rerun.kernel_build_id = word("aa");
	return past;
}

static void assert_unfit(const struct result_run *past, const char *why)
{
	struct error *err = rerun_check_record(past);

	assert_non_null(err);
	assert_non_null(strstr(error_message(err), why));
	error_free(err);
}

static void a_complete_record_can_be_rerun(void **state UNUSED)
{
	struct result_run past = sample();

	assert_success(rerun_check_record(&past));
	past.suite = word("mytests");
	assert_success(rerun_check_record(&past));
	past.suite = past.rerun.binary.path;
	assert_success(rerun_check_record(&past));
	past.rerun.test = NULL;
	assert_success(rerun_check_record(&past));
}

static void a_record_that_names_no_variant_is_refused(void **state UNUSED)
{
	struct result_run past = sample();

	past.rerun.binary.path = NULL;
	assert_unfit(&past, "which binary");
	past.rerun.binary.path = word("b/mytests");
	assert_unfit(&past, "not absolute");
	past = sample();
	past.rerun.test = word("other");
	assert_unfit(&past, "two tests");
	past = sample();
	past.rerun.topology = NULL;
	assert_unfit(&past, "which machine");
	past = sample();
	past.rerun.kernel_id = NULL;
	assert_unfit(&past, "which kernel");
}

/* It goes into reports and ids: no other text than one of this path. */
static void a_suite_is_an_end_of_its_path(void **state UNUSED)
{
	static const char *const wrong[] = { "",	   "tests",	    "other",
					     "/b/mytests", "x/a/b/mytests", "mytests/" };
	struct result_run past = sample();

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		past.suite = word(wrong[i]);
		assert_unfit(&past, "suite");
	}
	past.suite = NULL;
	assert_unfit(&past, "suite");
}

static struct kernel *kernel(const char *id, const char *build_id)
{
	struct kernel *k = xnew(struct kernel);

	k->id = xstrdup(id);
	k->build_id = build_id ? xstrdup(build_id) : NULL;
	return k;
}

/* Which of these is taken; "" when none. */
static void assert_taken(const char *const (*rows)[2], size_t n, const char *id,
			 const char *build_id)
{
	_cleanup_kernel_list_ struct kernel_list list = { 0 };
	_cleanup_kernel_ struct kernel *taken = NULL;
	struct result_run past = sample();

	for (size_t i = 0; i < n; i++) {
		struct kernel_entry entry = { .id = xstrdup(rows[i][0]) };

		entry.kernel = kernel(rows[i][0], rows[i][1]);
		vec_push(&list, entry);
	}
	assert_success(rerun_take_kernel(&past, &list, &taken));
	assert_string_equal(taken->id, id);
	assert_string_equal(taken->build_id ? taken->build_id : "none", build_id);
}

static void the_kernel_with_both_id_and_build_id_is_taken(void **state UNUSED)
{
	static const char *const rows[][2] = { { "other", "aa" }, { "6.18.15-mine", "aa" } };

	assert_taken(rows, 2, "6.18.15-mine", "aa");
}

static void the_build_id_counts_more_than_the_id(void **state UNUSED)
{
	static const char *const rows[][2] = { { "6.18.15-mine", "bb" }, { "other", "aa" } };

	assert_taken(rows, 2, "other", "aa");
	/* What is left is the id, and a kernel that has changed. */
	assert_taken(rows, 1, "6.18.15-mine", "bb");
}

static void assert_gone(const struct result_run *past, const char *how)
{
	_cleanup_kernel_list_ struct kernel_list list = { 0 };
	struct kernel_entry damaged = { .id = xstrdup(past->rerun.kernel_id) };
	struct kernel *taken = NULL;
	struct error *err;

	damaged.damage = xstrdup("cut off");
	vec_push(&list, damaged);
	err = rerun_take_kernel(past, &list, &taken);
	assert_non_null(err);
	assert_null(taken);
	if (!strstr(error_message(err), how))
		print_error("%s\n", error_message(err));
	assert_non_null(strstr(error_message(err), how));
	assert_non_null(strstr(error_message(err), "missing: kernel"));
	error_free(err);
}

static void a_kernel_that_is_gone_says_how_to_get_it(void **state UNUSED)
{
	struct result_run past = sample();

	assert_gone(&past, "run 'ktstr kernel fetch 6.18.15'");
	past.rerun.kernel_id = word("7.0-x");
	past.rerun.kernel_build_id = NULL;
	assert_gone(&past, "(build-id unknown): run 'ktstr kernel fetch 7.0'");
	past.kernel.source = word("/srv/my kernel/bzImage");
	assert_gone(&past, "ktstr kernel add '/srv/my kernel/bzImage'");
	past.kernel.source = word("linux-image 7.0");
	past.rerun.kernel_id = word("mine");
	assert_gone(&past, "ktstr kernel list");
}

static void add_test(struct exchange_declared_suite *suite, const char *name)
{
	struct exchange_declared_test test = { .name = xstrdup(name), .file = xstrdup("a.c") };

	vec_push(&suite->tests, test);
}

static void rerun_keeps_only_the_test_of_that_exact_name(void **state UNUSED)
{
	for (int i = 0; i < 3; i++) {
		static const char *const names[] = { "fair", "fair_2", "unfair" };
		_cleanup_exchange_declared_suite_ struct exchange_declared_suite suite = {
			.path = xstrdup("/b")
		};

		for (int j = 0; j < 3; j++)
			add_test(&suite, names[j]);
		assert_success(rerun_keep_test(&suite, names[i]));
		assert_int_equal(suite.tests.n, 1);
		assert_string_equal(suite.tests.at[0].name, names[i]);
	}
}

static void a_test_that_is_gone_may_have_a_new_name(void **state UNUSED)
{
	_cleanup_exchange_declared_suite_ struct exchange_declared_suite suite = { .path = xstrdup(
											   "/b") };
	struct error *err;

	add_test(&suite, "fairly");
	err = rerun_keep_test(&suite, "fair");
	assert_non_null(err);
	assert_non_null(strstr(error_message(err), "missing: /b no longer declares a test fair"));
	assert_non_null(strstr(error_message(err), "'fairly'"));
	error_free(err);
	assert_int_equal(suite.tests.n, 1);
}

static void assert_clock(struct result_run *past, double cpu_mips, double total_mips,
			 unsigned int mips)
{
	struct harness_plan_clock clock;

	past->cpu_mips = cpu_mips;
	past->total_mips = total_mips;
	assert_success(rerun_read_clock(past, &clock));
	assert_int_equal(clock.kind, VM_CLOCK_VIRTUAL);
	assert_int_equal(clock.first_seed, 7);
	assert_int_equal(clock.last_seed, 7);
	assert_int_equal(clock.mips, mips);
}

/* Whatever --mips it was: a --mips that gives the same machine. */
static void a_rerun_has_clock_speed_and_seed_of_its_record(void **state UNUSED)
{
	struct result_run past = sample();

	past.clock = (struct result_clock){ RESULT_CLOCK_VIRTUAL, 7 };
	past.has_seed = past.has_speed = true;
	past.rerun.topology = word("1n1l4c1t");
	/* The default of four CPUs, below and above. */
	assert_clock(&past, 62.5, 250, 0);
	assert_clock(&past, 31.25, 125, 31);
	assert_clock(&past, 250, 1000, 250);
	assert_clock(&past, 1.953125, 7.8125, 2);
	past.rerun.topology = word("1n1l64c1t");
	assert_clock(&past, 7.8125, 500, 7);
}

static void a_record_without_a_clock_had_a_real_one(void **state UNUSED)
{
	struct result_run past = sample();
	struct harness_plan_clock clock;

	assert_success(rerun_read_clock(&past, &clock));
	assert_int_equal(clock.kind, VM_CLOCK_REAL);
	past.clock.kind = RESULT_CLOCK_REAL;
	assert_success(rerun_read_clock(&past, &clock));
	assert_int_equal(clock.kind, VM_CLOCK_REAL);
}

static void a_virtual_clock_that_cannot_be_is_refused(void **state UNUSED)
{
	static const struct {
		bool has_seed, has_speed;
		double cpu_mips, total_mips;
	} rows[] = {
		{ false, true, 62.5, 250 }, { true, false, 62.5, 250 }, { true, true, 0, 250 },
		{ true, true, -1, 250 },    { true, true, 1e300, 250 }, { true, true, 62.5, 300 },
		{ true, true, 62.5, 0 },    { true, true, 62.5, -1 },	{ true, true, 62.5, 1e300 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct result_run past = sample();
		struct harness_plan_clock clock;

		past.clock = (struct result_clock){ RESULT_CLOCK_VIRTUAL, 7 };
		past.has_seed = rows[i].has_seed;
		past.has_speed = rows[i].has_speed;
		past.cpu_mips = rows[i].cpu_mips;
		past.total_mips = rows[i].total_mips;
		past.rerun.topology = word("1n1l4c1t");
		assert_error_tag(rerun_read_clock(&past, &clock), "parse");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_rerun_has_clock_speed_and_seed_of_its_record),
		cmocka_unit_test(a_record_without_a_clock_had_a_real_one),
		cmocka_unit_test(a_virtual_clock_that_cannot_be_is_refused),
		cmocka_unit_test(a_complete_record_can_be_rerun),
		cmocka_unit_test(a_record_that_names_no_variant_is_refused),
		cmocka_unit_test(a_suite_is_an_end_of_its_path),
		cmocka_unit_test(the_kernel_with_both_id_and_build_id_is_taken),
		cmocka_unit_test(the_build_id_counts_more_than_the_id),
		cmocka_unit_test(a_kernel_that_is_gone_says_how_to_get_it),
		cmocka_unit_test(rerun_keeps_only_the_test_of_that_exact_name),
		cmocka_unit_test(a_test_that_is_gone_may_have_a_new_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
