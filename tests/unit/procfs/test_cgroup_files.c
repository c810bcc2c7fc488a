// SPDX-License-Identifier: GPL-2.0-or-later
#include "procfs/cgroup_files.h"

#include "unit.h"

static uint64_t value_of(const struct intern *names, const struct named_readings *readings,
			 const char *key)
{
	const struct named_reading *row;
	uint32_t id;

	assert_true(intern_find(names, key, &id));
	row = named_readings_find(readings, id);
	assert_non_null(row);
	return row->value;
}

static void check_max(const char *text, enum limit_state quota, uint64_t value, bool period_known,
		      uint64_t period)
{
	struct cgroup_stats s = { 0 };

	cgroup_cpu_max_parse(text, strlen(text), &s);
	assert_int_equal(s.cpu.max_quota_us.state, quota);
	assert_true(s.cpu.max_quota_us.value == value);
	assert_int_equal(s.cpu.max_period_us.known, period_known);
	assert_true(s.cpu.max_period_us.value == period);
}

static void a_quota_may_be_none_or_lack_its_period(void **state UNUSED)
{
	check_max("max 100000\n", LIMIT_NONE, 0, true, 100000);
	check_max("50000 100000\n", LIMIT_VALUE, 50000, true, 100000);
	check_max("50000 20000\n", LIMIT_VALUE, 50000, true, 20000);
	check_max("50000\n", LIMIT_VALUE, 50000, true, 100000);
	check_max("50000 soon\n", LIMIT_VALUE, 50000, true, 100000);
	check_max("much 20000\n", LIMIT_UNKNOWN, 0, true, 20000);
	check_max("", LIMIT_UNKNOWN, 0, false, 0);
	check_max(" \n", LIMIT_UNKNOWN, 0, false, 0);
}

static void keys_of_cpu_stat_are_whole_words(void **state UNUSED)
{
	static const char text[] = "usage_usec_total 1\nxusage_usec 2\nuser_usec x\n"
				   "system_usec 18446744073709551616\nnr_periods 7";
	struct cgroup_stats s = { 0 };

	cgroup_cpu_stat_parse(text, sizeof(text) - 1, &s);
	assert_false(s.cpu.usage_usec.known || s.cpu.user_usec.known || s.cpu.system_usec.known);
	assert_true(s.cpu.nr_periods.known && s.cpu.nr_periods.value == 7);
}

static void devices_are_added_up_and_do_not_wrap(void **state UNUSED)
{
	/* A device without traffic may have no line end of its own. */
	static const char text[] = "254:0 8:0 rbytes=18446744073709551615 cost.vrate=100.00\n"
				   "8:16 rbytes=1 =5 wbytes= rios=4\n";
	_cleanup_intern_ struct intern names;
	struct named_readings got;
	uint32_t id;

	intern_init(&names);
	cgroup_io_stat_parse(text, sizeof(text) - 1, &names, &got);
	assert_true(got.known);
	assert_int_equal(got.rows.n, 2);
	assert_true(value_of(&names, &got, "rbytes") == UINT64_MAX);
	assert_true(value_of(&names, &got, "rios") == 4);
	assert_false(intern_find(&names, "cost.vrate", &id));
	named_readings_deinit(&got);
}

static void nice_values_have_a_sign(void **state UNUSED)
{
	static const char *const bad[] = { "", "-", "--1", "x", "2147483648", "1.5" };
	int32_t nice = 99;

	assert_true(cgroup_nice_parse("-20\n", 4, &nice));
	assert_int_equal(nice, -20);
	assert_true(cgroup_nice_parse("19", 2, &nice));
	assert_int_equal(nice, 19);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(cgroup_nice_parse(bad[i], strlen(bad[i]), &nice));
	assert_int_equal(nice, 19);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_quota_may_be_none_or_lack_its_period),
		cmocka_unit_test(keys_of_cpu_stat_are_whole_words),
		cmocka_unit_test(devices_are_added_up_and_do_not_wrap),
		cmocka_unit_test(nice_values_have_a_sign),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
