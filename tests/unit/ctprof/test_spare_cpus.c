// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/spare_cpus.h"

#include <unistd.h>

#include "fake_proc.h"

static unsigned int spare(unsigned int cpus, const char *loadavg)
{
	return spare_cpus(cpus, loadavg, strlen(loadavg));
}

static void the_load_is_left_alone(void **state UNUSED)
{
	assert_int_equal(spare(16, "9.50 1.00 1.00 1/100 7\n"), 6);
	assert_int_equal(spare(16, "10.00 0 0"), 6);
	assert_int_equal(spare(16, "9.99 0 0"), 6);
	assert_int_equal(spare(16, "10.01 0 0"), 5);
}

static void at_least_one_and_at_most_one_more_than_half(void **state UNUSED)
{
	assert_int_equal(spare(16, "0.00 0 0"), 9);
	assert_int_equal(spare(16, "400.00 0 0"), 1);
	assert_int_equal(spare(16, "15.50 0 0"), 1);
	assert_int_equal(spare(1, "0.00 0 0"), 1);
	assert_int_equal(spare(2, "0.00 0 0"), 2);
}

static void what_is_no_load_is_none(void **state UNUSED)
{
	static const char *const bad[] = { "", "x", "1.xx", "99999999999.00", "-1.00" };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(spare(8, bad[i]), 5);
}

static void the_load_is_read_below_a_root(void **state UNUSED)
{
	char *root = staged_root_new();
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	fake_text(root, "/proc/loadavg", "100000.00 0 0 1/1 1\n");
	assert_int_equal(spare_cpus_read(root), 1);
	fake_text(root, "/proc/loadavg", "0.00 0 0 1/1 1\n");
	assert_int_equal(spare_cpus_read(root), cpus > 1 ? cpus / 2 + 1 : 1);
	staged_root_free(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_load_is_left_alone),
		cmocka_unit_test(at_least_one_and_at_most_one_more_than_half),
		cmocka_unit_test(what_is_no_load_is_none),
		cmocka_unit_test(the_load_is_read_below_a_root),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
