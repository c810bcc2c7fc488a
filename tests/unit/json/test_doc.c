// SPDX-License-Identifier: GPL-2.0-or-later
#include "json/doc.h"

#include "base/alloc.h"
#include "base/strbuf.h"
#include "unit.h"

static struct json_doc *parsed(const char *text)
{
	struct json_doc *doc = NULL;

	assert_success(json_doc_parse(text, strlen(text), "test", &doc));
	return doc;
}

static void assert_refused(const char *text, size_t n, const char *tag)
{
	struct json_doc *doc = NULL;

	assert_error_tag(json_doc_parse(text, n, "test", &doc), tag);
	assert_null(doc);
}

static void parsing_accepts_every_type(void **state UNUSED)
{
	_cleanup_json_doc_ struct json_doc *doc = parsed("[null, true, 1, \"s\", [], {}]");
	static const enum json_type types[] = { JSON_NULL,   JSON_BOOL,	 JSON_NUMBER,
						JSON_STRING, JSON_ARRAY, JSON_OBJECT };
	struct json_iter it = json_iter_over(json_doc_root(doc));
	size_t n = 0;

	while (json_iter_next(&it)) {
		assert_int_equal(it.index, n);
		assert_null(it.key.at);
		assert_int_equal(json_type_of(it.value), types[n++]);
	}
	assert_int_equal(n, ARRAY_SIZE(types));
	assert_int_equal(json_length(json_doc_root(doc)), n);
}

/* What RFC 8259 does not allow, some of which lenient parsers take. */
static void parsing_refuses_what_is_not_json(void **state UNUSED)
{
	static const char *const wrong[] = {
		"",	      " ",
		"{",	      "[1,]",
		"{\"a\":1,}", "{a:1}",
		"'a'",	      "01",
		"+1",	      ".5",
		"1.",	      "1e",
		"NaN",	      "Infinity",
		"-",	      "0x1",
		"tru",	      "1 2",
		"{} {}",      "// c\n1",
		"/* c */ 1",  "\"\t\"",
		"\"\\x\"",    "\"\\ud800\"",
		"\"\xff\"",   "\xef\xbb\xbf{}",
		"[1}",	      "\"open",
	};

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_refused(wrong[i], strlen(wrong[i]), "parse");
	assert_refused("1\0", 2, "parse");
}

static void a_parse_error_says_where(void **state UNUSED)
{
	static const char text[] = "{\n  \"a\": tru\n}";
	struct json_doc *doc = NULL;
	_cleanup_error_ struct error *err = json_doc_parse(text, strlen(text), "some.json", &doc);

	assert_non_null(err);
	assert_contains(error_message(err), "some.json");
	assert_contains(error_message(err), "line 2, column 8");
	assert_contains(error_message(err), "byte 9");
}

static void parsing_refuses_what_is_too_large(void **state UNUSED)
{
	/* The size is checked before a byte is read. */
	assert_refused("1", (size_t)JSON_LIMIT_DOC_BYTES + 1, "limit");
}

static char *nested(unsigned int depth)
{
	struct strbuf s = STRBUF_INIT;

	strbuf_append_repeated(&s, '[', depth);
	strbuf_append_repeated(&s, ']', depth);
	return strbuf_take(&s);
}

static void parsing_limits_nesting_and_says_where(void **state UNUSED)
{
	_cleanup_free_ char *most = nested(JSON_LIMIT_NESTING);
	_cleanup_free_ char *more = nested(JSON_LIMIT_NESTING + 1);
	_cleanup_json_doc_ struct json_doc *doc = parsed(most);
	struct json_doc *none = NULL;
	_cleanup_error_ struct error *err = json_doc_parse(more, strlen(more), "deep", &none);

	assert_true(error_is(err, &base_error_domain, BASE_LIMIT));
	assert_contains(error_message(err), "byte 512");
}

static void brackets_in_strings_do_not_nest(void **state UNUSED)
{
	_cleanup_free_ char *brackets = nested(2000);
	_cleanup_free_ char *text = xasprintf("[\"\\\"%s\"]", brackets);
	_cleanup_free_ char *bare = xasprintf(" \"%s\"", brackets);
	_cleanup_json_doc_ struct json_doc *doc = parsed(text);
	_cleanup_json_doc_ struct json_doc *string = parsed(bare);

	assert_int_equal(json_length(json_doc_root(doc)), 1);
	assert_int_equal(json_string(json_doc_root(string)).n, 4000);
}

static void numbers_keep_their_text(void **state UNUSED)
{
	static const char *const numbers[] = {
		"0",
		"-0",
		"18446744073709551615",
		"-9223372036854775808",
		"1.10",
		"1E+2",
		"1e999",
		"-1.0",
		"1e-5",
		"123456789012345678901234567890",
	};

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		_cleanup_free_ char *text = xasprintf("[%s, 1]", numbers[i]);
		_cleanup_json_doc_ struct json_doc *in_array = parsed(text);
		_cleanup_json_doc_ struct json_doc *alone = parsed(numbers[i]);
		struct json_iter it = json_iter_over(json_doc_root(in_array));

		assert_true(json_iter_next(&it));
		assert_true(json_text_is(json_number_text(it.value), numbers[i]));
		assert_true(json_text_is(json_number_text(json_doc_root(alone)), numbers[i]));
	}
}

static void integers_are_exact_or_refused(void **state UNUSED)
{
	static const struct {
		const char *text;
		bool is_u64, is_i64;
		uint64_t u64;
		int64_t i64;
	} cases[] = {
		{ "0", true, true, 0, 0 },
		{ "-0", false, true, 0, 0 },
		{ "18446744073709551615", true, false, UINT64_MAX, 0 },
		{ "18446744073709551616", false, false, 0, 0 },
		{ "9223372036854775807", true, true, INT64_MAX, INT64_MAX },
		{ "9223372036854775808", true, false, UINT64_C(9223372036854775808), 0 },
		{ "-9223372036854775808", false, true, 0, INT64_MIN },
		{ "-9223372036854775809", false, false, 0, 0 },
		{ "1.0", false, false, 0, 0 },
		{ "1e3", false, false, 0, 0 },
		{ "\"1\"", false, false, 0, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_json_doc_ struct json_doc *doc = parsed(cases[i].text);
		uint64_t u64 = 77;
		int64_t i64 = 77;

		assert_int_equal(json_get_u64(json_doc_root(doc), &u64), cases[i].is_u64);
		assert_int_equal(json_get_i64(json_doc_root(doc), &i64), cases[i].is_i64);
		assert_true(u64 == (cases[i].is_u64 ? cases[i].u64 : 77));
		assert_true(i64 == (cases[i].is_i64 ? cases[i].i64 : 77));
	}
}

static void doubles_are_the_nearest_and_finite(void **state UNUSED)
{
	static const char *const finite[] = {
		"0.1",	 "-2.5e-3", "18446744073709551615",
		"1e308", "5e-324",  "123456789012345678901234567890"
	};
	_cleanup_json_doc_ struct json_doc *huge = parsed("1e309");
	_cleanup_json_doc_ struct json_doc *string = parsed("\"1\"");
	double value = 7;

	for (size_t i = 0; i < ARRAY_SIZE(finite); i++) {
		_cleanup_json_doc_ struct json_doc *doc = parsed(finite[i]);

		assert_true(json_get_double(json_doc_root(doc), &value));
		assert_true(value == strtod(finite[i], NULL));
	}
	value = 7;
	assert_false(json_get_double(json_doc_root(huge), &value));
	assert_false(json_get_double(json_doc_root(string), &value));
	assert_true(value == 7);
}

static void a_value_of_another_type_is_not_a_string_or_boolean(void **state UNUSED)
{
	_cleanup_json_doc_ struct json_doc *doc = parsed("{\"s\": \"a\\u0000b\", \"t\": true}");
	const struct json_value *s = json_find(json_doc_root(doc), "s");
	const struct json_value *t = json_find(json_doc_root(doc), "t");
	bool flag = false;

	assert_int_equal(json_string(s).n, 3);
	assert_memory_equal(json_string(s).at, "a\0b", 3);
	assert_null(json_string(t).at);
	assert_null(json_number_text(s).at);
	assert_true(json_get_bool(t, &flag));
	assert_true(flag);
	assert_false(json_get_bool(s, &flag));
	assert_int_equal(json_length(s), 0);
}

static void objects_keep_order_and_duplicates(void **state UNUSED)
{
	static const char *const keys[] = { "b", "a", "b", "" };
	_cleanup_json_doc_ struct json_doc *doc = parsed(
		"{\"b\": {\"x\": [1, 2]}, \"a\": [], \"b\": 3, \"\": {}}");
	struct json_iter it = json_iter_over(json_doc_root(doc));
	size_t n = 0;

	while (json_iter_next(&it))
		assert_true(json_text_is(it.key, keys[n++]));
	assert_int_equal(n, ARRAY_SIZE(keys));
	assert_int_equal(json_type_of(json_find(json_doc_root(doc), "b")), JSON_OBJECT);
	assert_null(json_find(json_doc_root(doc), "c"));
	assert_null(json_find(json_find(json_doc_root(doc), "a"), "c"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parsing_accepts_every_type),
		cmocka_unit_test(parsing_refuses_what_is_not_json),
		cmocka_unit_test(a_parse_error_says_where),
		cmocka_unit_test(parsing_refuses_what_is_too_large),
		cmocka_unit_test(parsing_limits_nesting_and_says_where),
		cmocka_unit_test(brackets_in_strings_do_not_nest),
		cmocka_unit_test(numbers_keep_their_text),
		cmocka_unit_test(integers_are_exact_or_refused),
		cmocka_unit_test(doubles_are_the_nearest_and_finite),
		cmocka_unit_test(a_value_of_another_type_is_not_a_string_or_boolean),
		cmocka_unit_test(objects_keep_order_and_duplicates),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
