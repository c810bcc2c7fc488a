// SPDX-License-Identifier: GPL-2.0-or-later
#include "json/rows.h"

#include <math.h>

#include "json/doc.h"
#include "rows_sample.h"
#include "unit.h"

#define BEGIN "{\"format\":3,\"name\":\"n\""
#define FULL                                                                                 \
	"{\"format\":3,\"flag\":true,\"i32\":-5,\"i64\":-9223372036854775808,\"u32\":100,"   \
	"\"u64\":18446744073709551615,\"ratio\":0.5,\"name\":\"twelve bytes\","              \
	"\"note\":\"said\",\"colour\":\"green\",\"paint\":\"green\","                        \
	"\"wheel\":{\"name\":\"left\",\"bolts\":5},\"inner\":{\"id\":\"i\",\"size\":0},"     \
	"\"wheels\":[{\"name\":\"a\"},{\"name\":\"b\",\"bolts\":4}],\"words\":[\"x\",\"\"]," \
	"\"plain_words\":[\"y\"],\"numbers\":[0,7],\"gap\":0,\"hex\":\"ff\"}"

static void free_sample(struct sample *sample)
{
	json_rows_deinit(&sample_table, sample);
}
#define _cleanup_sample_ __attribute__((cleanup(free_sample)))

static void assert_error(struct error *err, const char *tag, const char *message)
{
	assert_non_null(err);
	assert_string_equal(error_message(err), message);
	assert_string_equal(error_tag(err), tag);
	error_free(err);
}

static struct error *parse(const char *text, struct sample *ret)
{
	return json_rows_parse(&sample_table, text, strlen(text), "s.json", ret);
}

static char *write_compact(const struct sample *sample)
{
	struct strbuf text = STRBUF_INIT;
	struct json_writer w = json_writer_to(&text, JSON_COMPACT);

	json_rows_write(&sample_table, sample, &w);
	return strbuf_take(&text);
}

static void every_row_type_survives_a_round_trip(void **state UNUSED)
{
	_cleanup_sample_ struct sample s = { 0 };
	_cleanup_free_ char *again = NULL;

	assert_success(parse(FULL, &s));
	assert_true(s.flag);
	assert_int_equal(s.i32, -5);
	assert_true(s.i64 == INT64_MIN);
	assert_int_equal(s.u32, 100);
	assert_true(s.u64 == UINT64_MAX);
	assert_string_equal(s.name, "twelve bytes");
	assert_int_equal(s.colour, GREEN);
	assert_string_equal(s.wheel.name, "left");
	assert_string_equal(s.inner_id, "i");
	assert_int_equal(s.wheels.n, 2);
	assert_int_equal(s.wheels.at[1].bolts, 4);
	assert_string_equal(s.words.at[0], "x");
	assert_string_equal(s.plain.at[0], "y");
	assert_int_equal(s.numbers.at[1], 7);
	assert_true(s.has_gap);
	assert_int_equal(s.hex, 0xff);
	again = write_compact(&s);
	assert_string_equal(again, FULL);
}

static void a_list_that_was_read_can_grow_and_strings_end_with_null(void **state UNUSED)
{
	_cleanup_sample_ struct sample s = { 0 };

	assert_success(parse(FULL, &s));
	assert_null(s.plain.at[s.plain.n]);
	for (int i = 0; i < 20; i++)
		vec_push(&s.words, xstrdup("more"));
	assert_int_equal(s.words.n, 22);
	assert_string_equal(s.words.at[0], "x");
}

static void what_is_absent_is_not_written(void **state UNUSED)
{
	_cleanup_sample_ struct sample s = { 0 };
	_cleanup_free_ char *text = NULL;

	assert_success(parse(BEGIN ",\"newer\":{}}", &s));
	assert_false(s.has_gap);
	s.ratio = NAN;
	text = write_compact(&s);
	assert_string_equal(text,
			    "{\"format\":3,\"flag\":false,\"i32\":0,\"i64\":0,\"u32\":0,\"u64\":0,"
			    "\"name\":\"n\",\"note\":null,\"colour\":\"red\",\"wheels\":[],"
			    "\"words\":[]}");
}

static void an_absent_member_keeps_the_default(void **state UNUSED)
{
	_cleanup_sample_ struct sample s = { .u64 = 9, .colour = GREEN };

	assert_success(parse(BEGIN ",\"note\":null}", &s));
	assert_int_equal(s.u64, 9);
	assert_int_equal(s.colour, GREEN);
	assert_null(s.note);
}

static void null_is_absent_where_the_table_says_so(void **state UNUSED)
{
	static const struct json_rows tolerant = { JSON_TABLE(wheel_rows), .null_is_absent = true };
	static const struct json_rows strict = { JSON_TABLE(wheel_rows) };
	const char *text = "{\"name\":\"a\",\"bolts\":null}", *missing = "{\"name\":null}";
	struct wheel wheel = { 0 };

	assert_success(json_rows_parse(&tolerant, text, strlen(text), "t", &wheel));
	json_rows_deinit(&tolerant, &wheel);
	assert_error(json_rows_parse(&strict, text, strlen(text), "t", &wheel), "parse",
		     "t: bolts is not a whole number of 0 or more");
	json_rows_deinit(&strict, &wheel);
	assert_error(json_rows_parse(&tolerant, missing, strlen(missing), "t", &wheel), "parse",
		     "t: name is missing");
}

static void an_error_names_the_place(void **state UNUSED)
{
	static const struct {
		const char *text, *tag, *message;
	} rows[] = {
		{ "[]", "parse", "it is not an object" },
		{ "{}", "parse", "format is missing or not a whole number" },
		{ "{\"format\":1}", "parse",
		  "format is 1, this program knows 3: it comes from an older ktstr" },
		{ "{\"format\":4}", "parse",
		  "format is 4, this program knows 3: it comes from a newer ktstr" },
		{ "{\"format\":2}", "parse", "name is missing" },
		{ "{\"format\":3,\"name\":\"\"}", "parse", "name is empty" },
		{ "{\"format\":3,\"name\":\"a\\u0000b\"}", "parse", "name holds a NUL byte" },
		{ "{\"format\":3,\"name\":\"thirteen here\"}", "limit",
		  "name is longer than 12 bytes" },
		{ BEGIN ",\"note\":\"more than twenty bytes\"}", "limit",
		  "note is longer than 20 bytes" },
		{ BEGIN ",\"note\":7}", "parse", "note is not a string" },
		{ BEGIN ",\"flag\":1}", "parse", "flag is neither true nor false" },
		{ BEGIN ",\"flag\":null}", "parse", "flag is neither true nor false" },
		{ BEGIN ",\"i32\":-6}", "parse", "i32 is not between -5 and 2147483647" },
		{ BEGIN ",\"i32\":2147483648}", "parse", "i32 is not between -5 and 2147483647" },
		{ BEGIN ",\"i64\":0.5}", "parse", "i64 is not a whole number" },
		{ BEGIN ",\"u32\":101}", "parse", "u32 is larger than 100" },
		{ BEGIN ",\"u64\":-1}", "parse", "u64 is not a whole number of 0 or more" },
		{ BEGIN ",\"ratio\":\"1\"}", "parse", "ratio is not a number" },
		{ BEGIN ",\"colour\":\"blue\"}", "parse", "colour is none of: red, green" },
		{ BEGIN ",\"colour\":1}", "parse", "colour is not a string" },
		{ BEGIN ",\"wheel\":[]}", "parse", "wheel is not an object" },
		{ BEGIN ",\"wheel\":{}}", "parse", "wheel.name is missing" },
		{ BEGIN ",\"inner\":{\"id\":\"i\"}}", "parse", "inner.size is missing" },
		{ BEGIN ",\"wheels\":{}}", "parse", "wheels is not a list" },
		{ BEGIN ",\"wheels\":[{},{},{},{}]}", "limit", "wheels has more than 3 elements" },
		{ BEGIN ",\"wheels\":[{\"name\":\"a\"},{\"name\":7}]}", "parse",
		  "wheels[1].name is not a string" },
		{ BEGIN ",\"wheels\":[{\"name\":\"a\",\"bolts\":13}]}", "parse",
		  "wheels[0] has an unlucky number of bolts" },
		{ BEGIN ",\"words\":[\"a\",null]}", "parse", "words[1] is not a string" },
		{ BEGIN ",\"numbers\":[1,-1]}", "parse",
		  "numbers[1] is not a whole number of 0 or more" },
		{ BEGIN ",\"hex\":7}", "parse", "hex: not a string of digits" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_sample_ struct sample s = { 0 };
		_cleanup_free_ char *message = xasprintf("s.json: %s", rows[i].message);

		assert_error(parse(rows[i].text, &s), rows[i].tag, message);
	}
}

static void a_list_without_a_limit_has_that_of_the_room(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_sample_ struct sample s = { 0 };

	strbuf_append(&text, BEGIN ",\"numbers\":[0");
	for (int i = 0; i < JSON_LIMIT_LIST; i++)
		strbuf_append(&text, ",0");
	strbuf_append(&text, "]}");
	assert_error_tag(parse(text.at, &s), "limit");
}

static void a_member_is_optional_while_its_companion_is_absent(void **state UNUSED)
{
	_cleanup_sample_ struct sample s = { 0 };
	_cleanup_free_ char *text = NULL;

	assert_success(parse(BEGIN ",\"inner\":{\"size\":5}}", &s));
	assert_int_equal(s.inner_size, 5);
	text = write_compact(&s);
	assert_null(strstr(text, "inner"));
}

static void an_unknown_enum_name_may_read_as_the_first_value(void **state UNUSED)
{
	_cleanup_sample_ struct sample s = { .paint = GREEN };

	assert_success(parse(BEGIN ",\"paint\":\"blue\"}", &s));
	assert_int_equal(s.paint, RED);
}

static void an_older_name_is_read_and_the_newer_one_is_written(void **state UNUSED)
{
	_cleanup_sample_ struct sample s = { 0 }, both = { 0 };
	_cleanup_free_ char *text = NULL;

	assert_success(parse(BEGIN ",\"hole\":4}", &s));
	text = write_compact(&s);
	assert_contains(text, "\"gap\":4");
	assert_null(strstr(text, "hole"));
	assert_success(parse(BEGIN ",\"hole\":4,\"gap\":5}", &both));
	assert_int_equal(both.gap, 5);
}

static void members_can_be_written_into_an_open_object(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct json_writer w = json_writer_to(&text, JSON_COMPACT);
	struct wheel wheel = { .name = (char *)"a", .bolts = 2 };

	json_begin_object(&w);
	json_add_bool(&w, "round", true);
	json_rows_write_members(&wheel_table, &wheel, &w);
	json_end_object(&w);
	assert_string_equal(text.at, "{\"round\":true,\"name\":\"a\",\"bolts\":2}");
	strbuf_clear(&text);
	json_rows_format(&wheel_table, &wheel, &text);
	assert_string_equal(text.at, "{\n  \"name\": \"a\",\n  \"bolts\": 2\n}\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_type_survives_a_round_trip),
		cmocka_unit_test(a_list_that_was_read_can_grow_and_strings_end_with_null),
		cmocka_unit_test(what_is_absent_is_not_written),
		cmocka_unit_test(an_absent_member_keeps_the_default),
		cmocka_unit_test(null_is_absent_where_the_table_says_so),
		cmocka_unit_test(an_error_names_the_place),
		cmocka_unit_test(a_list_without_a_limit_has_that_of_the_room),
		cmocka_unit_test(a_member_is_optional_while_its_companion_is_absent),
		cmocka_unit_test(an_unknown_enum_name_may_read_as_the_first_value),
		cmocka_unit_test(an_older_name_is_read_and_the_newer_one_is_written),
		cmocka_unit_test(members_can_be_written_into_an_open_object),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
