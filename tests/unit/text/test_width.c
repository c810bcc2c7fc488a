// SPDX-License-Identifier: GPL-2.0-or-later
#include "text/width.h"

#include "unit.h"

static void width_counts_columns_and_not_bytes(void **state UNUSED)
{
	assert_int_equal(text_width(""), 0);
	assert_int_equal(text_width("abc"), 3);
	assert_int_equal(text_width("größe"), 5);
	assert_int_equal(text_width("日本"), 4);
	assert_int_equal(text_width("e\xcc\x81"), 1); /* e and a combining accent */
	assert_int_equal(text_width("\xff\xfe"), 2);
}

static void prefix_never_splits_a_character(void **state UNUSED)
{
	assert_int_equal(text_prefix("abc", 2), 2);
	assert_int_equal(text_prefix("abc", 10), 3);
	assert_int_equal(text_prefix("日本", 3), 3);
	assert_int_equal(text_prefix("日本", 1), 0);
	assert_int_equal(text_prefix("e\xcc\x81x", 1), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(width_counts_columns_and_not_bytes),
		cmocka_unit_test(prefix_never_splits_a_character),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
