// SPDX-License-Identifier: GPL-2.0-or-later
#include "json/rows.h"

#include "rows_sample.h"
#include "unit.h"

static void a_page_has_every_member_with_its_path(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	json_rows_format_man(&sample_table, "", &text);
	assert_non_null(
		strstr(text.at, "*format* (whole number)\n\tThe version of the format: 3.\n"));
	assert_non_null(strstr(text.at, "*name* (string)\n\tA name.\n"));
	assert_non_null(strstr(text.at, "*note* (string, null when unknown)\n\tA note.\n"));
	assert_non_null(
		strstr(text.at, "*colour* (string, may be absent)\n\tA colour: red, green.\n"));
	assert_non_null(strstr(text.at, "*inner.size* (whole number, may be absent)\n"));
	assert_non_null(strstr(text.at, "*wheels[]* (list of objects, may be absent)\n"));
	assert_non_null(strstr(text.at, "*wheels[].name* (string)\n"));
	assert_non_null(strstr(text.at, "*plain\\_words[]* (list of strings, may be absent)\n"));
	assert_contains(text.at, "*gap* (whole number, ns, lower is better, may be absent)\n");
	assert_non_null(strstr(text.at, "*hex* (hexadecimal string, may be absent)\n"));
}

static void man_page_members_are_prefixed_with_the_given_path(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	json_rows_format_man(&wheel_table, "car", &text);
	assert_string_equal(text.at, "*car.name* (string)\n\tWhat it is called.\n\n"
				     "*car.bolts* (whole number, may be absent)\n"
				     "\tHow many bolts it has.\n\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_page_has_every_member_with_its_path),
		cmocka_unit_test(man_page_members_are_prefixed_with_the_given_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
