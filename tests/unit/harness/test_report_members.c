// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/report_members.h"

#include <stdlib.h>

#include "harness/limits.h"
#include "unit.h"

static struct json_doc *doc;

static struct members members_of(const char *text)
{
	json_doc_free(doc);
	doc = NULL;
	assert_success(json_doc_parse(text, strlen(text), "test", &doc));
	return (struct members){ .object = json_doc_root(doc), .word = "line" };
}

static int free_doc(void **state UNUSED)
{
	json_doc_free(doc);
	doc = NULL;
	return 0;
}

static void assert_wrong(struct members *m, const char *tag, const char *why)
{
	assert_non_null(m->err);
	assert_string_equal(error_tag(m->err), tag);
	assert_contains(error_message(m->err), why);
	error_free(m->err);
	m->err = NULL;
}

static void members_have_their_values(void **state UNUSED)
{
	struct members m = members_of("{\"t\":\"x y\",\"n\":18446744073709551615,\"i\":-3,"
				      "\"b\":true,\"c\":\"0-1\"}");
	_cleanup_free_ char *text = members_take_text(&m, "t");
	struct cpuset cpus = { 0 };
	uint64_t number = 5;

	assert_string_equal(text, "x y");
	assert_true(members_u64(&m, "n") == UINT64_MAX);
	assert_int_equal(members_between(&m, "i", -3, 0), -3);
	assert_true(members_bool(&m, "b"));
	members_cpus(&m, "c", &cpus);
	assert_int_equal(cpuset_count(&cpus), 2);
	assert_false(members_optional_u64(&m, "absent", &number));
	assert_int_equal(number, 5);
	assert_null(members_take_optional(&m, "absent"));
	assert_null(m.err);
}

static void what_is_missing_is_told_by_name(void **state UNUSED)
{
	struct members m = members_of("{}");
	struct cpuset cpus;

	assert_null(members_take_text(&m, "a"));
	assert_wrong(&m, "parse", "line: \"a\" is missing");
	members_u64(&m, "b");
	assert_wrong(&m, "parse", "\"b\" is missing");
	members_u32(&m, "c");
	assert_wrong(&m, "parse", "\"c\" is missing");
	assert_false(members_bool(&m, "d"));
	assert_wrong(&m, "parse", "\"d\" is missing");
	members_cpus(&m, "e", &cpus);
	assert_wrong(&m, "parse", "\"e\" is missing");
}

static void a_value_of_another_type_is_wrong(void **state UNUSED)
{
	struct members m = members_of("{\"n\":1,\"t\":\"x\",\"neg\":-1,\"half\":0.5,\"null\":null,"
				      "\"big\":4294967296,\"cpus\":\"3-1\"}");
	struct cpuset cpus;
	uint64_t number = 0;

	assert_null(members_take_text(&m, "n"));
	assert_wrong(&m, "parse", "is no text");
	assert_null(members_take_optional(&m, "null"));
	assert_wrong(&m, "parse", "is no text");
	members_u64(&m, "t");
	assert_wrong(&m, "parse", "is no whole number");
	members_u64(&m, "neg");
	assert_wrong(&m, "parse", "is no whole number");
	(void)members_optional_u64(&m, "half", &number);
	assert_wrong(&m, "parse", "is no whole number");
	members_u32(&m, "big");
	assert_wrong(&m, "parse", "is out of range");
	assert_false(members_bool(&m, "n"));
	assert_wrong(&m, "parse", "neither true nor false");
	members_cpus(&m, "cpus", &cpus);
	assert_wrong(&m, "parse", "runs backwards");
}

static void texts_hold_no_nul(void **state UNUSED)
{
	struct members m = members_of("{\"t\":\"a\\u0000b\"}");
	struct json_text text = members_string(&m, "t", false);

	assert_int_equal(text.n, 3);
	assert_null(members_take_text(&m, "t"));
	assert_wrong(&m, "parse", "holds a NUL");
}

static void names_are_neither_empty_nor_endless(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	_cleanup_free_ char *none = NULL, *name = NULL;
	struct members m = members_of("{\"a\":\"\"}");

	none = members_take_name(&m, "a");
	assert_wrong(&m, "parse", "is empty");
	for (size_t n = REPORT_NAME_BYTES_LIMIT; n <= REPORT_NAME_BYTES_LIMIT + 1; n++) {
		strbuf_clear(&s);
		strbuf_append(&s, "{\"a\":\"");
		strbuf_append_repeated(&s, 'n', n);
		strbuf_append(&s, "\"}");
		m = members_of(strbuf_str(&s));
		free(name);
		name = members_take_name(&m, "a");
		assert_int_equal(name != NULL, n == REPORT_NAME_BYTES_LIMIT);
	}
	assert_wrong(&m, "parse", "is too long");
}

static void the_first_mistake_is_the_one_that_is_told(void **state UNUSED)
{
	struct members m = members_of("{\"b\":1}");

	members_u64(&m, "a");
	assert_null(members_find(&m, "b"));
	members_u64(&m, "c");
	members_refuse(&m, "no");
	assert_false(members_have_room(&m, 0, 1));
	assert_wrong(&m, "parse", "\"a\" is missing");
}

static void room_ends_at_the_limit(void **state UNUSED)
{
	struct members m = members_of("{}");

	assert_true(members_have_room(&m, 2, 3));
	assert_false(members_have_room(&m, 3, 3));
	assert_wrong(&m, "limit", "more than 3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_have_their_values),
		cmocka_unit_test(what_is_missing_is_told_by_name),
		cmocka_unit_test(a_value_of_another_type_is_wrong),
		cmocka_unit_test(texts_hold_no_nul),
		cmocka_unit_test(names_are_neither_empty_nor_endless),
		cmocka_unit_test(the_first_mistake_is_the_one_that_is_told),
		cmocka_unit_test(room_ends_at_the_limit),
	};

	return cmocka_run_group_tests(tests, NULL, free_doc);
}
