// SPDX-License-Identifier: GPL-2.0-or-later
#include "text/width.h"

#include "unit.h"

static void decodes_one_code_point_of_each_length(void **state UNUSED)
{
	static const struct {
		const char *bytes;
		uint32_t codepoint;
	} rows[] = {
		{ "A", 0x41 },
		{ "\xc2\xa2", 0xa2 },
		{ "\xe2\x82\xac", 0x20ac },
		{ "\xf0\x90\x8d\x88", 0x10348 },
		{ "\xf4\x8f\xbf\xbf", 0x10ffff },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint32_t codepoint = 0;

		assert_int_equal(utf8_decode(rows[i].bytes, strlen(rows[i].bytes), &codepoint),
				 strlen(rows[i].bytes));
		assert_int_equal(codepoint, rows[i].codepoint);
	}
}

static void refuses_what_is_not_utf8(void **state UNUSED)
{
	static const char *const rows[] = {
		"\x80",		    /* continuation first */
		"\xc0\xaf",	    /* overlong '/' */
		"\xe0\x80\xaf",	    /* overlong, three bytes */
		"\xf0\x80\x80\xaf", /* overlong, four bytes */
		"\xed\xa0\x80",	    /* surrogate */
		"\xf4\x90\x80\x80", /* past U+10FFFF */
		"\xf8\x88\x80\x80\x80",
		"\xe2\x82", /* cut */
		"\xc3(",
		"\xff",
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint32_t untouched = 7;

		assert_int_equal(utf8_decode(rows[i], strlen(rows[i]), &untouched), 0);
		assert_int_equal(untouched, 7);
	}
	assert_int_equal(utf8_decode("A", 0, &(uint32_t){ 0 }), 0);
}

static void width_counts_columns_and_not_bytes(void **state UNUSED)
{
	assert_int_equal(utf8_width(""), 0);
	assert_int_equal(utf8_width("abc"), 3);
	assert_int_equal(utf8_width("größe"), 5);
	assert_int_equal(utf8_width("日本"), 4);
	assert_int_equal(utf8_width("e\xcc\x81"), 1); /* e and a combining accent */
	assert_int_equal(utf8_width("\xff\xfe"), 2);
}

static void prefix_never_splits_a_character(void **state UNUSED)
{
	assert_int_equal(utf8_prefix("abc", 2), 2);
	assert_int_equal(utf8_prefix("abc", 10), 3);
	assert_int_equal(utf8_prefix("日本", 3), 3);
	assert_int_equal(utf8_prefix("日本", 1), 0);
	assert_int_equal(utf8_prefix("e\xcc\x81x", 1), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decodes_one_code_point_of_each_length),
		cmocka_unit_test(refuses_what_is_not_utf8),
		cmocka_unit_test(width_counts_columns_and_not_bytes),
		cmocka_unit_test(prefix_never_splits_a_character),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
