// SPDX-License-Identifier: GPL-2.0-or-later
#include "text/number.h"

#include "unit.h"

static void bytes_get_the_unit_that_fits(void **state UNUSED)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} rows[] = {
		{ 0, "0 B" },
		{ 1, "1 B" },
		{ 1023, "1023 B" },
		{ 1024, "1.0 KiB" },
		{ 1536, "1.5 KiB" },
		{ UINT64_C(16) << 20, "16.0 MiB" },
		{ (UINT64_C(1) << 20) - 1, "1.0 MiB" }, /* never 1024.0 KiB */
		{ (UINT64_C(1) << 20) - 52, "1023.9 KiB" },
		{ UINT64_C(1) << 30, "1.0 GiB" },
		{ UINT64_C(1) << 40, "1.0 TiB" },
		{ UINT64_C(1) << 50, "1.0 PiB" },
		{ UINT64_C(1) << 60, "1.0 EiB" },
		{ UINT64_MAX, "16.0 EiB" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

		text_format_bytes(&s, rows[i].bytes);
		assert_string_equal(strbuf_str(&s), rows[i].text);
	}
}

static void differences_may_be_negative(void **state UNUSED)
{
	static const struct {
		uint64_t after, before;
		const char *text;
	} rows[] = {
		{ 100, 100, "0 B" },	       { 3072, 1024, "2.0 KiB" },
		{ 1024, 2560, "-1.5 KiB" },    { 0, UINT64_MAX, "-16.0 EiB" },
		{ UINT64_MAX, 0, "16.0 EiB" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

		text_format_bytes_difference(&s, rows[i].after, rows[i].before);
		assert_string_equal(strbuf_str(&s), rows[i].text);
	}
}

static void rates_are_per_second(void **state UNUSED)
{
	static const struct {
		uint64_t bytes, ns;
		const char *text;
	} rows[] = {
		{ 0, 5, "0 B/s" },
		{ 1024, UINT64_C(1000000000), "1.0 KiB/s" },
		{ 1024, UINT64_C(500000000), "2.0 KiB/s" },
		{ UINT64_MAX, 1, "16.0 EiB/s" }, /* does not overflow */
		{ 77, 0, "-" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

		text_format_rate(&s, rows[i].bytes, rows[i].ns);
		assert_string_equal(strbuf_str(&s), rows[i].text);
	}
}

static void durations_get_the_unit_that_fits(void **state UNUSED)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} rows[] = {
		{ 850, "850 ns" },
		{ 12500, "12.5 us" },
		{ 3000000, "3.0 ms" },
		{ 999960000, "1.0 s" },
		{ UINT64_C(5000) * 1000000000, "5000.0 s" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

		text_format_duration(&s, rows[i].ns);
		assert_string_equal(strbuf_str(&s), rows[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_get_the_unit_that_fits),
		cmocka_unit_test(differences_may_be_negative),
		cmocka_unit_test(rates_are_per_second),
		cmocka_unit_test(durations_get_the_unit_that_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
