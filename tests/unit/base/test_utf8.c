// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/utf8.h"

#include "base/strbuf.h"
#include "unit.h"

/* The right column is what Python's bytes.decode("utf-8", "replace") makes of the left one. */
static void each_invalid_utf8_subpart_becomes_one_replacement_character(void **state UNUSED)
{
	static const struct {
		const char *bytes, *repaired;
	} cases[] = {
		{ "\x41", "\x41" },
		{ "\xc3\xa9", "\xc3\xa9" },
		{ "\xe2\x82\xac", "\xe2\x82\xac" },
		{ "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80" },
		{ "\x80", "\xef\xbf\xbd" },
		{ "\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xc1\xbf", "\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xe0\x80\xaf", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xed\x9f\xbf", "\xed\x9f\xbf" },
		{ "\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf" },
		{ "\xf5\x80\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xe2\x82", "\xef\xbf\xbd" },
		{ "\xe2\x82\x41", "\xef\xbf\xbd\x41" },
		{ "\xf0\x9f\x98", "\xef\xbf\xbd" },
		{ "\xf0\x9f\x41", "\xef\xbf\xbd\x41" },
		{ "\xc3\x41", "\xef\xbf\xbd\x41" },
		{ "\xff\xfe", "\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\x41\xe2\x82\xf0\x9f\x98\x80\xc3",
		  "\x41\xef\xbf\xbd\xf0\x9f\x98\x80\xef\xbf\xbd" },
		{ "\xf0\x80\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xe1\x80\xe2\xf0\x91\x92\xf1\xbf\x41",
		  "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\x41" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_strbuf_ struct strbuf got = STRBUF_INIT;
		size_t n = strlen(cases[i].bytes);

		for (size_t at = 0; at < n;) {
			bool valid;
			size_t length = utf8_sequence(cases[i].bytes + at, n - at, &valid);

			assert_in_range(length, 1, n - at);
			if (valid)
				strbuf_append_bytes(&got, cases[i].bytes + at, length);
			else
				strbuf_append(&got, "\xef\xbf\xbd");
			at += length;
		}
		assert_string_equal(strbuf_str(&got), cases[i].repaired);
	}
}

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

/* The euro sign has three bytes. */
static void cutting_never_splits_a_character(void **state UNUSED)
{
	static const char text[] = "ab\xe2\x82\xac"
				   "c";

	assert_int_equal(utf8_cut(text, 6, 6), 6);
	assert_int_equal(utf8_cut(text, 6, 5), 5);
	assert_int_equal(utf8_cut(text, 6, 4), 2);
	assert_int_equal(utf8_cut(text, 6, 3), 2);
	assert_int_equal(utf8_cut(text, 6, 2), 2);
	assert_int_equal(utf8_cut(text, 6, 0), 0);
}

static void a_run_of_continuation_bytes_may_be_cut_anywhere(void **state UNUSED)
{
	static const char text[] = "\x80\x80\x80\x80\x80\x80\x80\x80";

	assert_int_equal(utf8_cut(text, 8, 6), 6);
	assert_int_equal(utf8_cut(text, 8, 2), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_invalid_utf8_subpart_becomes_one_replacement_character),
		cmocka_unit_test(decodes_one_code_point_of_each_length),
		cmocka_unit_test(refuses_what_is_not_utf8),
		cmocka_unit_test(cutting_never_splits_a_character),
		cmocka_unit_test(a_run_of_continuation_bytes_may_be_cut_anywhere),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
