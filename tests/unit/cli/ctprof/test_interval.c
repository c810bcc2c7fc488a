// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/ctprof/cmd_capture.h"

#include "base/clock.h"
#include "unit.h"

static void times_have_a_unit(void **state UNUSED)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} rows[] = {
		{ "500ms", 500 * NS_PER_MS }, { "2s", 2 * NS_PER_SEC },
		{ "1.5s", 1500 * NS_PER_MS }, { "0.25m", 15 * NS_PER_SEC },
		{ "1h", 3600 * NS_PER_SEC },  { "24h", 24 * 3600 * NS_PER_SEC },
		{ "1ms", NS_PER_MS },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t ns = 0;

		assert_true(interval_parse(rows[i].text, &ns));
		assert_int_equal(ns, rows[i].ns);
	}
}

static void what_is_no_time_is_refused(void **state UNUSED)
{
	static const char *const wrong[] = { "",
					     "5",
					     "s",
					     "0s",
					     "0.5ms",
					     "25h",
					     "1 s",
					     "-1s",
					     "1.s",
					     "1..5s",
					     ".5s",
					     "1.5.5s",
					     "2sec",
					     "1us",
					     "99999999999999999999s",
					     "1.99999999999999999999s" };
	uint64_t ns = 7;

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		if (interval_parse(wrong[i], &ns))
			fail_msg("'%s' was taken", wrong[i]);
	}
	assert_int_equal(ns, 7);
}

static void a_late_start_shifts_no_later_moment(void **state UNUSED)
{
	uint64_t slot = 0, missed = 0;

	assert_int_equal(interval_next(1000, 100, &slot, 1030, &missed), 1100);
	assert_int_equal(interval_next(1000, 100, &slot, 1199, &missed), 1200);
	/* Exactly now is not over. */
	assert_int_equal(interval_next(1000, 100, &slot, 1300, &missed), 1300);
	assert_int_equal(missed, 0);
	/* 1400 and 1500 passed while the snapshot was being taken. */
	assert_int_equal(interval_next(1000, 100, &slot, 1501, &missed), 1600);
	assert_int_equal(missed, 2);
	assert_int_equal(interval_next(1000, 100, &slot, 1610, &missed), 1700);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_have_a_unit),
		cmocka_unit_test(what_is_no_time_is_refused),
		cmocka_unit_test(a_late_start_shifts_no_later_moment),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
