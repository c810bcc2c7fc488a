// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/file/record.h"

#include "unit.h"

static const struct ctprof_place in_document = { .key = "psi" };
static const struct ctprof_place element = { .outer = &in_document, .index = 3 };
static const struct ctprof_place member = { .outer = &element, .key = "nice" };

static struct json_doc *parsed(const char *text)
{
	struct json_doc *doc;

	assert_success(json_doc_parse(text, strlen(text), "test", &doc));
	return doc;
}

#define assert_refusal(expr, message)                              \
	do {                                                       \
		struct error *err_ = (expr);                       \
		assert_non_null(err_);                             \
		assert_string_equal(error_message(err_), message); \
		error_free(err_);                                  \
	} while (0)

static void an_error_says_where_the_value_stands(void **state UNUSED)
{
	assert_refusal(ctprof_place_error(&member, "expected %d", 5), "psi[3].nice: expected 5");
}

static void numbers_are_whole_and_in_range(void **state UNUSED)
{
	_cleanup_json_doc_ struct json_doc *most = parsed("18446744073709551615");
	_cleanup_json_doc_ struct json_doc *fraction = parsed("1.5");
	_cleanup_json_doc_ struct json_doc *negative = parsed("-1");
	uint64_t number = 7;
	int64_t small = 7;
	bool there = false;

	assert_success(ctprof_value_u64(json_doc_root(most), &member, &number, &there));
	assert_true(number == UINT64_MAX && there);
	assert_refusal(ctprof_value_u64(json_doc_root(fraction), &member, &number, NULL),
		       "psi[3].nice: 1.5 is not a whole number from 0 to 2^64 - 1");
	assert_refusal(ctprof_value_u64(json_doc_root(negative), &member, &number, NULL),
		       "psi[3].nice: -1 is not a whole number from 0 to 2^64 - 1");
	assert_success(ctprof_value_i64(json_doc_root(negative), &member, -1, 5, &small, &there));
	assert_int_equal(small, -1);
	assert_refusal(ctprof_value_i64(json_doc_root(negative), &member, 0, 5, &small, NULL),
		       "psi[3].nice: -1 is not a whole number from 0 to 5");
}

static void what_is_missing_or_null_is_absent(void **state UNUSED)
{
	_cleanup_json_doc_ struct json_doc *null = parsed("null");
	const struct json_value *values[] = { NULL, json_doc_root(null) };
	_cleanup_intern_ struct intern strings;

	intern_init(&strings);
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		struct procfs_reading reading = { true, false, 9 };
		struct procfs_named_readings rows = { .known = true };
		uint64_t number = 7;
		uint32_t string = 7;
		bool there = true, flag = true;

		assert_false(ctprof_value_is_there(values[i]));
		assert_success(ctprof_value_u64(values[i], &member, &number, &there));
		assert_false(there);
		assert_int_equal(number, 7);
		assert_success(ctprof_value_bool(values[i], &member, &flag, &there));
		assert_true(flag && !there);
		assert_success(ctprof_value_reading(values[i], &member, &reading));
		assert_false(reading.known);
		assert_success(ctprof_value_string(values[i], &member, &strings, &string));
		assert_int_equal(string, 0);
		assert_success(ctprof_value_named(values[i], &member, &strings, &rows));
		assert_false(rows.known);
	}
}

static void another_type_is_told(void **state UNUSED)
{
	_cleanup_json_doc_ struct json_doc *doc = parsed("[{\"a\":\"x\"}]");
	const struct json_value *array = json_doc_root(doc);
	_cleanup_intern_ struct intern strings;
	struct procfs_named_readings rows;
	struct json_iter it = json_iter_over(array);
	uint32_t string;
	bool flag;

	intern_init(&strings);
	assert_refusal(ctprof_value_bool(array, &member, &flag, NULL),
		       "psi[3].nice: expected true or false, found an array");
	assert_refusal(ctprof_value_string(array, &member, &strings, &string),
		       "psi[3].nice: expected a string, found an array");
	assert_true(json_iter_next(&it));
	assert_refusal(ctprof_value_named(it.value, &member, &strings, &rows),
		       "psi[3].nice.a: expected a number, found a string");
}

static void named_numbers_keep_their_order(void **state UNUSED)
{
	_cleanup_json_doc_ struct json_doc *doc = parsed("{\"b\":2,\"a\":1,\"c\":null}");
	_cleanup_intern_ struct intern strings;
	struct procfs_named_readings rows;

	intern_init(&strings);
	assert_success(ctprof_value_named(json_doc_root(doc), &member, &strings, &rows));
	assert_true(rows.known);
	assert_int_equal(rows.rows.n, 2);
	assert_string_equal(intern_text(&strings, rows.rows.at[0].name), "b");
	assert_int_equal(rows.rows.at[1].value, 1);
	vec_deinit(&rows.rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_error_says_where_the_value_stands),
		cmocka_unit_test(numbers_are_whole_and_in_range),
		cmocka_unit_test(what_is_missing_or_null_is_absent),
		cmocka_unit_test(another_type_is_told),
		cmocka_unit_test(named_numbers_keep_their_order),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
