// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/needs.h"

#include "harness/limits.h"
#include "unit.h"

/* Worked out by hand from the formula in the header. */
static void slowness_is_one_with_kvm_and_grows_with_vcpus_without(void **state UNUSED)
{
	assert_int_equal(harness_slowness(false, 1), 1);
	assert_int_equal(harness_slowness(false, 252), 1);
	assert_int_equal(harness_slowness(true, 1), 5);
	assert_int_equal(harness_slowness(true, 8), 5);
	assert_int_equal(harness_slowness(true, 9), 6);
	assert_int_equal(harness_slowness(true, 252), 36);
}

/* What vm_speed_choose() gives 1, 2, 4 and 64 CPUs, and the ends of its range. */
static void slowness_in_virtual_time_comes_from_the_speed_of_a_cpu(void **state UNUSED)
{
	assert_int_equal(harness_slowness_of_speed(250), 2);
	assert_int_equal(harness_slowness_of_speed(125), 4);
	assert_int_equal(harness_slowness_of_speed(62.5), 8);
	assert_int_equal(harness_slowness_of_speed(15.625), 32);
	/* 16.1 */
	assert_int_equal(harness_slowness_of_speed(31), 17);
	assert_int_equal(harness_slowness_of_speed(500), 1);
	assert_int_equal(harness_slowness_of_speed(1000), 1);
	assert_int_equal(harness_slowness_of_speed(0), 500);
}

static uint64_t limit_s(const struct exchange_declared_test *test, bool emulated,
			unsigned int vcpus)
{
	uint64_t ns = harness_time_limit_ns(test, harness_slowness(emulated, vcpus), vcpus);

	assert_int_equal(ns % 1000000000, 0);
	return ns / 1000000000;
}

static void the_limit_grows_with_duration_and_vcpus(void **state UNUSED)
{
	const struct exchange_declared_test short_one = { .duration_s = 2 },
					    long_one = { .duration_s = 128 };

	/* 2 + (20 + 1) */
	assert_int_equal(limit_s(&short_one, false, 2), 23);
	/* 128 + (20 + 4), 128 + (20 + 128), 128 + (20 + 504) */
	assert_int_equal(limit_s(&long_one, false, 2), 152);
	assert_int_equal(limit_s(&long_one, false, 64), 276);
	assert_int_equal(limit_s(&long_one, false, 252), 652);
}

static void emulation_slows_all_but_the_duration(void **state UNUSED)
{
	const struct exchange_declared_test test = { .duration_s = 128 };

	/* 128 + 5 * (20 + 4), 128 + 12 * (20 + 128) */
	assert_int_equal(limit_s(&test, true, 2), 248);
	assert_int_equal(limit_s(&test, true, 64), 1904);
}

/* The kernel ends a scheduler after 30 s, and may notice 15 s late; then there is much to tell. */
static void a_guest_with_a_scheduler_may_be_silent_for_longer_than_the_watchdog(void **state UNUSED)
{
	char program[] = "scx_x";
	char *argv[] = { program, NULL };
	struct exchange_declared_test test = { .scheduler = { .argv = { argv, 1 } } };

	assert_true(harness_time_limit_silence_ns(&test) >= 60ull * 1000000000);
	test.scheduler.argv.n = 0;
	assert_int_equal(harness_time_limit_silence_ns(&test), 0);
}

static void a_scheduler_gets_its_time_to_attach(void **state UNUSED)
{
	char program[] = "scx_x";
	char *argv[] = { program, NULL };
	struct exchange_declared_test test = { .duration_s = 2,
					       .scheduler = { .argv = { argv, 1 } } };

	/* 2 + 90 + (20 + 1), 2 + 90 + 5 * (20 + 1) */
	assert_int_equal(limit_s(&test, false, 2), 113);
	assert_int_equal(limit_s(&test, true, 2), 197);
	test.scheduler.attach_timeout_s = 100;
	assert_int_equal(limit_s(&test, false, 2), 123);
	/* 2 + 5 * (20 + 1 + 100) */
	assert_int_equal(limit_s(&test, true, 2), 607);
	/* The kernel's own attaches at once. */
	test.scheduler.argv.n = 0;
	assert_int_equal(limit_s(&test, false, 2), 23);
}

static void a_declared_timeout_is_scaled_by_slowness_only(void **state UNUSED)
{
	const struct exchange_declared_test test = { .duration_s = 128, .timeout_s = 10 };

	assert_int_equal(limit_s(&test, false, 64), 10);
	assert_int_equal(limit_s(&test, true, 64), 120);
}

static void the_largest_values_do_not_wrap(void **state UNUSED)
{
	struct exchange_declared_test test = { .duration_s = EXCHANGE_LIMIT_SECONDS };

	/* 604800 + 132 * (20 + 604800 * 16) */
	assert_int_equal(limit_s(&test, true, 1024), UINT64_C(1277945040));
	test.timeout_s = EXCHANGE_LIMIT_SECONDS;
	assert_int_equal(limit_s(&test, true, 1024), UINT64_C(79833600));
}

static void assert_explained(const struct exchange_declared_test *test, bool emulated,
			     const char *expected)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	harness_time_limit_explain(test, harness_slowness(emulated, 2), 2, &text);
	assert_string_equal(strbuf_str(&text), expected);
}

static void the_time_limit_is_explained_by_its_sum(void **state UNUSED)
{
	char program[] = "scx_x";
	char *argv[] = { program, NULL };
	struct exchange_declared_test test = { .duration_s = 128 };

	assert_explained(&test, false, "duration 128 s + 1 x (20 s + 4 s for its size)");
	test.scheduler.argv = (struct exchange_text_list){ argv, 1 };
	assert_explained(&test, true,
			 "duration 128 s + 90 s to attach + 5 x (20 s + 4 s for its size)");
	/* 128 + 90 + 5 * 24 */
	assert_int_equal(limit_s(&test, true, 2), 338);
	test.timeout_s = 10;
	assert_explained(&test, true, "5 x timeout 10 s");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slowness_is_one_with_kvm_and_grows_with_vcpus_without),
		cmocka_unit_test(slowness_in_virtual_time_comes_from_the_speed_of_a_cpu),
		cmocka_unit_test(the_limit_grows_with_duration_and_vcpus),
		cmocka_unit_test(emulation_slows_all_but_the_duration),
		cmocka_unit_test(a_scheduler_gets_its_time_to_attach),
		cmocka_unit_test(
			a_guest_with_a_scheduler_may_be_silent_for_longer_than_the_watchdog),
		cmocka_unit_test(a_declared_timeout_is_scaled_by_slowness_only),
		cmocka_unit_test(the_largest_values_do_not_wrap),
		cmocka_unit_test(the_time_limit_is_explained_by_its_sum),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
