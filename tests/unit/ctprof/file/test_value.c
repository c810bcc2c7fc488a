// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/file/record.h"

#include "unit.h"

static const struct ctprof_value in_document = { .key = "psi" };
static const struct ctprof_value element = { .outer = &in_document, .index = 3 };

/* As a member of psi[3]. */
static struct ctprof_value nice_of(const struct json_value *json)
{
	return (struct ctprof_value){ json, &element, "nice", 0 };
}

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

static void an_error_names_the_path_of_the_member(void **state UNUSED)
{
	struct ctprof_value value = nice_of(NULL);

	assert_refusal(ctprof_value_error(&value, "expected %d", 5), "psi[3].nice: expected 5");
}

static void numbers_are_whole_and_in_range(void **state UNUSED)
{
	_cleanup_json_doc_ struct json_doc *most_doc = parsed("18446744073709551615");
	_cleanup_json_doc_ struct json_doc *fraction_doc = parsed("1.5");
	_cleanup_json_doc_ struct json_doc *negative_doc = parsed("-1");
	struct ctprof_value most = nice_of(json_doc_root(most_doc));
	struct ctprof_value fraction = nice_of(json_doc_root(fraction_doc));
	struct ctprof_value negative = nice_of(json_doc_root(negative_doc));
	uint64_t number = 7;
	int64_t small = 7;

	assert_success(ctprof_value_u64(&most, &number));
	assert_true(number == UINT64_MAX);
	assert_refusal(ctprof_value_u64(&fraction, &number),
		       "psi[3].nice: 1.5 is not a whole number from 0 to 2^64 - 1");
	assert_refusal(ctprof_value_u64(&negative, &number),
		       "psi[3].nice: -1 is not a whole number from 0 to 2^64 - 1");
	assert_success(ctprof_value_i64(&negative, -1, 5, &small));
	assert_int_equal(small, -1);
	assert_refusal(ctprof_value_i64(&negative, 0, 5, &small),
		       "psi[3].nice: -1 is not a whole number from 0 to 5");
}

static void missing_and_null_members_are_absent(void **state UNUSED)
{
	_cleanup_json_doc_ struct json_doc *null = parsed("null");
	const struct ctprof_value values[] = { nice_of(NULL), nice_of(json_doc_root(null)) };
	_cleanup_intern_ struct intern strings;

	intern_init(&strings);
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		struct procfs_reading reading = { true, false, 9 };
		struct procfs_named_readings rows = { .known = true };
		uint64_t number = 7;
		uint32_t string = 7;
		bool flag = true;

		assert_false(ctprof_value_is_there(&values[i]));
		assert_success(ctprof_value_u64(&values[i], &number));
		assert_int_equal(number, 7);
		assert_success(ctprof_value_bool(&values[i], &flag));
		assert_true(flag);
		assert_success(ctprof_value_reading(&values[i], &reading));
		assert_false(reading.known);
		assert_success(ctprof_value_string(&values[i], &strings, &string));
		assert_int_equal(string, 0);
		assert_success(ctprof_value_named(&values[i], &strings, &rows));
		assert_false(rows.known);
	}
}

static void a_member_of_another_type_is_refused(void **state UNUSED)
{
	_cleanup_json_doc_ struct json_doc *doc = parsed("[{\"a\":\"x\"}]");
	struct ctprof_value array = nice_of(json_doc_root(doc)), object;
	_cleanup_intern_ struct intern strings;
	struct procfs_named_readings rows;
	struct json_iter it = json_iter_over(array.json);
	uint32_t string;
	bool flag;

	intern_init(&strings);
	assert_refusal(ctprof_value_bool(&array, &flag),
		       "psi[3].nice: expected true or false, found an array");
	assert_refusal(ctprof_value_string(&array, &strings, &string),
		       "psi[3].nice: expected a string, found an array");
	assert_true(json_iter_next(&it));
	object = ctprof_value_at(&array, &it);
	assert_refusal(ctprof_value_named(&object, &strings, &rows),
		       "psi[3].nice[0].a: expected a number, found a string");
}

static void named_numbers_keep_their_order(void **state UNUSED)
{
	_cleanup_json_doc_ struct json_doc *doc = parsed("{\"b\":2,\"a\":1,\"c\":null}");
	struct ctprof_value value = nice_of(json_doc_root(doc));
	_cleanup_intern_ struct intern strings;
	struct procfs_named_readings rows;

	intern_init(&strings);
	assert_success(ctprof_value_named(&value, &strings, &rows));
	assert_true(rows.known);
	assert_int_equal(rows.rows.n, 2);
	assert_string_equal(intern_text(&strings, rows.rows.at[0].name), "b");
	assert_int_equal(rows.rows.at[1].value, 1);
	vec_deinit(&rows.rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_error_names_the_path_of_the_member),
		cmocka_unit_test(numbers_are_whole_and_in_range),
		cmocka_unit_test(missing_and_null_members_are_absent),
		cmocka_unit_test(a_member_of_another_type_is_refused),
		cmocka_unit_test(named_numbers_keep_their_order),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
