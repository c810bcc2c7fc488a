// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/utf8.h"

#include "base/strbuf.h"
#include "unit.h"

/* The right column is what Python's bytes.decode("utf-8", "replace") makes of the left one. */
static void broken_bytes_become_one_sign_per_maximal_subpart(void **state UNUSED)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(broken_bytes_become_one_sign_per_maximal_subpart),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
