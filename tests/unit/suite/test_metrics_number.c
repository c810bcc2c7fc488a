// SPDX-License-Identifier: GPL-2.0-or-later
#include "suite/metrics.h"

#include "unit.h"

static bool whole(const char *text, uint64_t *ret)
{
	return suite_metrics_whole_number((struct json_text){ text, strlen(text) }, ret);
}

static void every_way_to_write_a_whole_number_is_one(void **state UNUSED)
{
	static const struct {
		const char *text;
		uint64_t value;
	} rows[] = {
		{ "0", 0 },
		{ "-0", 0 },
		{ "0.000", 0 },
		{ "0e99999999999999999999", 0 },
		{ "7", 7 },
		{ "100", 100 },
		{ "100.00", 100 },
		{ "1002003", 1002003 },
		{ "16777216", 16777216 },
		{ "1.6777216e7", 16777216 },
		{ "1.6777216E+7", 16777216 },
		{ "16777216.0e0", 16777216 },
		{ "1500e-2", 15 },
		{ "0.001e3", 1 },
		{ "100.25e2", 10025 },
		{ "1e15", UINT64_C(1000000000000000) },
		{ "9007199254740992", UINT64_C(9007199254740992) },
		{ "9007199254740992.000", UINT64_C(9007199254740992) },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t value = 12345;

		if (!whole(rows[i].text, &value) || value != rows[i].value)
			fail_msg("%s became %llu", rows[i].text, (unsigned long long)value);
	}
}

/* Several of these are whole numbers once they went through a double. */
static void everything_else_is_refused(void **state UNUSED)
{
	static const char *const rows[] = {
		"-1",
		"0.5",
		"1e-1",
		"15e-2",
		"0.99999999999999999999999999",
		"9007199254740993",
		"9007199254740992.5",
		"18446744073709551616",
		"18446744073709551617",
		"1e16",
		"1e99999999999999999999",
		"1e-99999999999999999999",
		"1000000000000000000000000000000000000000",
		"1.0000000000000000000000000000000000001",
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t value = 12345;

		if (whole(rows[i], &value))
			fail_msg("%s became %llu", rows[i], (unsigned long long)value);
		assert_int_equal(value, 12345);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_way_to_write_a_whole_number_is_one),
		cmocka_unit_test(everything_else_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
