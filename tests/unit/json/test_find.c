// SPDX-License-Identifier: GPL-2.0-or-later
#include "json/find.h"

#include "base/strbuf.h"
#include "json/limits.h"
#include "unit.h"

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

static void a_bracket_without_partner_hides_nothing(void **state UNUSED)
{
	assert_true(number_a("loading [ {\"a\": 1}") == 1);
	assert_true(number_a("} ] {\"a\": 1}") == 1);
}

static void no_document_is_said_so(void **state UNUSED)
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
		cmocka_unit_test(the_whole_text_is_a_document),
		cmocka_unit_test(a_document_is_found_between_other_lines),
		cmocka_unit_test(only_the_first_document_counts),
		cmocka_unit_test(a_bracket_without_partner_hides_nothing),
		cmocka_unit_test(no_document_is_said_so),
		cmocka_unit_test(the_search_is_bounded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
