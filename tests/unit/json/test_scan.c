// SPDX-License-Identifier: GPL-2.0-or-later
#include "json/scan.h"

#include "base/strbuf.h"
#include "json/doc.h"
#include "unit.h"

static void a_region_ends_after_its_matching_bracket(void **state UNUSED)
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

static double number_a(const char *text)
{
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	double value = -1;

	assert_success(json_find_document(text, strlen(text), "output", &doc));
	assert_true(json_get_double(json_find(json_doc_root(doc), "a"), &value));
	return value;
}

static void assert_none(const char *text, const char *tag)
{
	struct json_doc *doc = NULL;

	assert_error_tag(json_find_document(text, strlen(text), "output", &doc), tag);
	assert_null(doc);
}

static void the_whole_text_is_a_document(void **state UNUSED)
{
	_cleanup_json_doc_ struct json_doc *doc = NULL;

	assert_true(number_a(" \r\n{\"a\": 1}\t\n") == 1);
	assert_success(json_find_document(" 42 ", 4, "output", &doc));
	assert_int_equal(json_type_of(json_doc_root(doc)), JSON_NUMBER);
}

static void a_document_is_found_between_other_lines(void **state UNUSED)
{
	assert_true(number_a("starting\n{\"a\": 1}\ndone\n") == 1);
	assert_true(number_a("x {\"b\": \"}\", \"a\": 2} y") == 2);
	assert_true(number_a("x {\"b\": \"\\\"}\", \"a\": 3} y") == 3);
}

static void only_the_first_document_counts(void **state UNUSED)
{
	assert_true(number_a("{\"a\": 1}\n{\"a\": 2}\n") == 1);
	assert_none("[info] {\"a\": 1}", "parse");
}

static void an_unmatched_bracket_does_not_hide_a_document(void **state UNUSED)
{
	assert_true(number_a("loading [ {\"a\": 1}") == 1);
	assert_true(number_a("} ] {\"a\": 1}") == 1);
}

static void text_without_a_document_is_an_error(void **state UNUSED)
{
	assert_none("", "absent");
	assert_none(" \n", "absent");
	assert_none("no brackets", "absent");
	assert_none("{\"a\": 1", "absent");
	assert_none("{a}", "parse");
}

static void the_search_is_bounded(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	for (int i = 0; i < JSON_LIMIT_FIND_ATTEMPTS - 1; i++)
		strbuf_append(&text, "( [ ) ");
	strbuf_append(&text, "{\"a\": 1}");
	assert_true(number_a(strbuf_str(&text)) == 1);
	strbuf_clear(&text);
	for (int i = 0; i < JSON_LIMIT_FIND_ATTEMPTS; i++)
		strbuf_append(&text, "( [ ) ");
	strbuf_append(&text, "{\"a\": 1}");
	assert_none(strbuf_str(&text), "absent");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_region_ends_after_its_matching_bracket),
		cmocka_unit_test(depth_is_limited),
		cmocka_unit_test(a_member_is_found_by_its_number),
		cmocka_unit_test(the_whole_text_is_a_document),
		cmocka_unit_test(a_document_is_found_between_other_lines),
		cmocka_unit_test(only_the_first_document_counts),
		cmocka_unit_test(an_unmatched_bracket_does_not_hide_a_document),
		cmocka_unit_test(text_without_a_document_is_an_error),
		cmocka_unit_test(the_search_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
