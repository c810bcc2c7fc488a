// SPDX-License-Identifier: GPL-2.0-or-later
#include "json/scan.h"

#include "json/limits.h"
#include "unit.h"

static void a_region_ends_behind_its_partner(void **state UNUSED)
{
	static const struct {
		const char *text;
		size_t end; /* 0: unbalanced */
	} cases[] = {
		{ "{}x", 2 },	     { "[[]]]", 4 }, { "{\"}\":1}y", 7 }, { "[\"\\\"]\"]", 7 },
		{ "[\"\\\\\"]", 6 }, { "[}", 0 },    { "{]", 0 },	  { "[", 0 },
		{ "[\"]", 0 },	     { "[\"\\", 0 }, { "", 0 },		  { "]", 0 },
		{ "{[}]", 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t end = 0;
		enum json_scan_result got = json_scan_region(cases[i].text, strlen(cases[i].text),
							     0, &end);

		assert_int_equal(got, cases[i].end ? JSON_SCAN_BALANCED : JSON_SCAN_UNBALANCED);
		assert_int_equal(end, cases[i].end);
	}
}

static void depth_is_limited(void **state UNUSED)
{
	char text[2 * JSON_LIMIT_NESTING + 2];
	size_t end = 0;

	memset(text, '[', JSON_LIMIT_NESTING + 1);
	memset(text + JSON_LIMIT_NESTING + 1, ']', JSON_LIMIT_NESTING + 1);
	assert_int_equal(json_scan_region(text, sizeof(text), 0, &end), JSON_SCAN_TOO_DEEP);
	assert_int_equal(end, JSON_LIMIT_NESTING);
	assert_int_equal(json_scan_region(text, sizeof(text), 1, &end), JSON_SCAN_BALANCED);
	assert_int_equal(end, sizeof(text) - 1);
}

static void a_member_is_found_by_its_number(void **state UNUSED)
{
	static const char text[] = " {\"a,[\": 1, \"b\": {\"c\": [1, 2], \"d\": 3}, \"e\": [4, 5]}";
	size_t start = 0;

	assert_true(json_scan_member(text, strlen(text), 1, &start));
	assert_int_equal(start, strstr(text, "{\"c") - text);
	assert_true(json_scan_member(text, strlen(text), 2, &start));
	assert_int_equal(start, strstr(text, "[4") - text);
	start = 77;
	assert_false(json_scan_member(text, strlen(text), 0, &start));
	assert_false(json_scan_member(text, strlen(text), 3, &start));
	assert_false(json_scan_member("{\"a\": {", 7, 1, &start));
	assert_false(json_scan_member("7", 1, 0, &start));
	assert_int_equal(start, 77);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_region_ends_behind_its_partner),
		cmocka_unit_test(depth_is_limited),
		cmocka_unit_test(a_member_is_found_by_its_number),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
