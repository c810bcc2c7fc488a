// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/form.h"

#include "base/clock.h"
#include "unit.h"

static void times_are_told_as_people_do(void **state UNUSED)
{
	static const struct {
		uint64_t ms;
		const char *duration, *elapsed;
	} rows[] = {
		{ 0, "0.0 s", "0 s" },
		{ 99, "0.0 s", "0 s" },
		{ 5399, "5.3 s", "5 s" },
		{ 59999, "59.9 s", "59 s" },
		{ 60000, "60.0 s", "1 min 00 s" },
		{ 999999, "999.9 s", "16 min 39 s" },
		{ 1000000, "16 min 40 s", "16 min 40 s" },
		{ 3599999, "59 min 59 s", "59 min 59 s" },
		{ 3600000, "1 h 00 min", "1 h 00 min" },
		{ 7383000, "2 h 03 min", "2 h 03 min" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_strbuf_ struct strbuf duration = STRBUF_INIT;
		_cleanup_strbuf_ struct strbuf elapsed = STRBUF_INIT;

		report_format_duration(&duration, rows[i].ms * NS_PER_MS);
		report_format_elapsed(&elapsed, rows[i].ms * NS_PER_MS);
		assert_string_equal(strbuf_str(&duration), rows[i].duration);
		assert_string_equal(strbuf_str(&elapsed), rows[i].elapsed);
	}
}

static void counts_leave_out_what_did_not_happen(void **state UNUSED)
{
	static const struct {
		size_t counts[RESULT_N_VERDICTS];
		size_t n_tests;
		const char *text;
	} rows[] = {
		{ { 0 }, 0, "0 tests" },
		{ { [KTSTR_PASS] = 1 }, 1, "1 test: 1 passed" },
		{ { [KTSTR_PASS] = 9,
		    [KTSTR_FAIL] = 1,
		    [KTSTR_SKIP] = 1,
		    [KTSTR_INCONCLUSIVE] = 1 },
		  12,
		  "12 tests: 9 passed, 1 failed, 1 skipped, 1 inconclusive" },
		{ { [KTSTR_BROKEN] = 2 }, 5, "5 tests: 2 broken, 3 not run" },
		{ { 0 }, 3, "3 tests: 3 not run" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

		report_format_counts(&s, rows[i].counts, rows[i].n_tests);
		assert_string_equal(strbuf_str(&s), rows[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_are_told_as_people_do),
		cmocka_unit_test(counts_leave_out_what_did_not_happen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
