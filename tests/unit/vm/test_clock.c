// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/clock.h"

#include "unit.h"

static void check(unsigned int mips, unsigned int cpus, unsigned int shift, double total,
		  double cpu)
{
	struct vm_speed speed;

	assert_success(vm_speed_choose(mips, cpus, &speed));
	assert_int_equal(speed.shift, shift);
	assert_float_equal(speed.total_mips, total, 0.001);
	assert_float_equal(speed.cpu_mips, cpu, 0.001);
}

/* An instruction takes 1, 2, 4, … ns: 1000, 500, 250, … MIPS, shared by all CPUs. */
static void the_nearest_speed_is_taken(void **state UNUSED)
{
	check(1000, 1, 0, 1000, 1000);
	check(250, 4, 0, 1000, 250);
	check(60, 4, 2, 250, 62.5);
	check(31, 4, 3, 125, 31.25);
	/* Between 500 and 250: by ratio. */
	check(354, 1, 1, 500, 500);
	check(353, 1, 2, 250, 250);
	check(1, 1, 9, 1.953, 1.953);
}

static void more_than_there_is_names_the_nearest(void **state UNUSED)
{
	struct vm_speed speed;
	struct error *err = vm_speed_choose(251, 4, &speed);

	assert_non_null(err);
	assert_string_equal(error_tag(err), "mips");
	assert_contains(error_message(err), "250 and 125");
	error_free(err);
	err = vm_speed_choose(16, 64, &speed);
	assert_non_null(err);
	assert_contains(error_message(err), "15.62 and 7.812");
	error_free(err);
}

static void defaults_never_exceed_what_there_is(void **state UNUSED)
{
	for (unsigned int cpus = 1; cpus <= 1024; cpus *= 2) {
		struct vm_speed speed;

		assert_success(vm_speed_choose(0, cpus, &speed));
		assert_true(speed.total_mips <= 1000);
		assert_float_equal(speed.cpu_mips * cpus, speed.total_mips, 0.001);
	}
}

/* What is asked for counts; only what is left open depends on what executes the guests. */
static void a_clock_that_is_asked_for_is_taken(void **state UNUSED)
{
	struct error *why = NULL;

	assert_int_equal(vm_clock_decide(VM_CLOCK_WISH_VIRTUAL, VM_ACCEL_TCG), VM_CLOCK_VIRTUAL);
	assert_int_equal(vm_clock_decide(VM_CLOCK_WISH_REAL, VM_ACCEL_TCG), VM_CLOCK_REAL);
	assert_int_equal(vm_clock_decide(VM_CLOCK_WISH_REAL, VM_ACCEL_KVM), VM_CLOCK_REAL);
	assert_int_equal(vm_clock_decide(VM_CLOCK_WISH_AUTO, VM_ACCEL_KVM), VM_CLOCK_REAL);
	assert_int_equal(vm_clock_choose(VM_CLOCK_WISH_VIRTUAL, VM_ACCEL_WISH_AUTO, &why),
			 VM_CLOCK_VIRTUAL);
	assert_int_equal(vm_clock_choose(VM_CLOCK_WISH_REAL, VM_ACCEL_WISH_TCG, &why),
			 VM_CLOCK_REAL);
	assert_null(why);
	assert_string_equal(vm_clock_wish_words[VM_CLOCK_WISH_VIRTUAL], "virtual");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_clock_that_is_asked_for_is_taken),
		cmocka_unit_test(the_nearest_speed_is_taken),
		cmocka_unit_test(more_than_there_is_names_the_nearest),
		cmocka_unit_test(defaults_never_exceed_what_there_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
