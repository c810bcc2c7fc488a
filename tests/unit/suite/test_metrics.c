// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include "json/walk.h"
#include "suite/metrics.h"
#include "suite/metrics_of.h"

static void numbers_have_flat_names(void **state UNUSED)
{
	struct ktstr_metrics m = metrics_of(
		"{\"a\":[{\"b\":7},{\"b\":-2.5}],\"s\":\"no\",\"t\":true,\"n\":null,\"c\":1e3}",
		"");
	double value;

	assert_int_equal(ktstr_metric_count(&m), 3);
	assert_string_equal(ktstr_metric_name(&m, 0), "a.0.b");
	assert_string_equal(ktstr_metric_name(&m, 1), "a.1.b");
	assert_string_equal(ktstr_metric_name(&m, 2), "c");
	assert_null(ktstr_metric_name(&m, 3));
	assert_true(ktstr_metric(&m, "a.0.b", &value));
	assert_true(value == 7);
	assert_true(ktstr_metric(&m, "a.1.b", &value));
	assert_true(value == -2.5);
	assert_true(ktstr_metric(&m, "c", &value));
	assert_true(value == 1000);
	assert_false(ktstr_metric(&m, "s", &value));
	assert_true(value == 1000);
	assert_string_equal(m.stream, "stdout");
	assert_null(m.none_because);
	suite_metrics_deinit(&m);
}

static void a_document_is_found_between_log_lines(void **state UNUSED)
{
	struct ktstr_metrics m = metrics_of("starting\n{\"first\": 1}\nlog {\"second\": 2}\n",
					    "{\"third\":3}");

	assert_int_equal(ktstr_metric_count(&m), 1);
	assert_true(ktstr_has_metric(&m, "first"));
	suite_metrics_deinit(&m);
}

static void standard_error_is_read_when_standard_output_has_no_number(void **state UNUSED)
{
	const char *const without[] = { "", "just text\n", "{\"a\":\"text\"}", "{\"broken\":}" };

	for (size_t i = 0; i < ARRAY_SIZE(without); i++) {
		struct ktstr_metrics m = metrics_of(without[i], "warning\n{\"iops\": 42}\n");

		assert_int_equal(ktstr_metric_count(&m), 1);
		assert_true(ktstr_has_metric(&m, "iops"));
		assert_string_equal(m.stream, "stderr");
		assert_null(m.none_because);
		suite_metrics_deinit(&m);
	}
}

static void no_number_anywhere_has_a_reason(void **state UNUSED)
{
	struct ktstr_metrics m = metrics_of("{\"a\":\"text\"}", "");

	assert_int_equal(ktstr_metric_count(&m), 0);
	assert_string_equal(m.none_because, "stdout: the document holds no number");
	assert_string_equal(ktstr_metrics_dump(&m), "");
	suite_metrics_deinit(&m);

	m = metrics_of("", "some text");
	assert_int_equal(ktstr_metric_count(&m), 0);
	assert_contains(m.none_because, "stdout");
	assert_string_equal(m.stream, "stdout");
	suite_metrics_deinit(&m);
}

static void a_cut_stream_is_named_in_the_reason(void **state UNUSED)
{
	struct ktstr_metrics m = { .out = captured("{\"a\":") };

	m.out.total += 1000;
	suite_metrics_extract(&m);
	assert_int_equal(ktstr_metric_count(&m), 0);
	assert_contains(m.none_because, "the last 1000 bytes of stdout were not kept");
	suite_metrics_deinit(&m);
}

static void metrics_are_empty_before_they_are_searched(void **state UNUSED)
{
	struct ktstr_metrics m = { .out = captured("{\"a\":1}") };
	double value;

	assert_int_equal(ktstr_metric_count(&m), 0);
	assert_false(ktstr_has_metric(&m, "a"));
	assert_false(ktstr_metric(&m, "a", &value));
	assert_null(ktstr_metric_name(&m, 0));
	assert_string_equal(ktstr_stdout(&m), "{\"a\":1}");
	assert_string_equal(ktstr_stderr(&m), "");
	suite_metrics_deinit(&m);
}

static void the_first_of_a_name_counts(void **state UNUSED)
{
	struct ktstr_metrics m = metrics_of(
		"{\"z\":0,\"a\":1,\"b\":2,\"a\":3,\"c\":4,\"a\":5,\"z\":6}", "");
	uint64_t value = 99;

	assert_int_equal(ktstr_metric_count(&m), 4);
	assert_string_equal(ktstr_metrics_dump(&m), "z=0 a=1 b=2 c=4");
	assert_true(ktstr_metric_u64(&m, "a", &value));
	assert_int_equal(value, 1);
	assert_true(ktstr_metric_u64(&m, "z", &value));
	assert_int_equal(value, 0);
	suite_metrics_deinit(&m);
}

static void whole_numbers_are_exact_or_refused(void **state UNUSED)
{
	struct ktstr_metrics m = metrics_of("{\"max\":9007199254740992,\"past\":9007199254740993,"
					    "\"half\":0.5,\"minus\":-1}",
					    "");
	uint64_t value = 99;

	assert_true(ktstr_metric_u64(&m, "max", &value));
	assert_int_equal(value, UINT64_C(9007199254740992));
	assert_false(ktstr_metric_u64(&m, "past", &value));
	assert_false(ktstr_metric_u64(&m, "half", &value));
	assert_false(ktstr_metric_u64(&m, "minus", &value));
	assert_false(ktstr_metric_u64(&m, "absent", &value));
	assert_int_equal(value, UINT64_C(9007199254740992));
	suite_metrics_deinit(&m);
}

static void numbers_keep_their_text(void **state UNUSED)
{
	struct ktstr_metrics m = metrics_of("{\"n\":18446744073709551615,\"d\":0.10}", "");

	assert_string_equal(ktstr_metrics_dump(&m), "n=18446744073709551615 d=0.10");
	assert_ptr_equal(ktstr_metrics_dump(&m), ktstr_metrics_dump(&m));
	suite_metrics_deinit(&m);
}

static void numbers_that_are_not_finite_are_skipped(void **state UNUSED)
{
	struct ktstr_metrics m = metrics_of("{\"huge\":1e999,\"fine\":1}", "");

	assert_int_equal(ktstr_metric_count(&m), 1);
	assert_true(ktstr_has_metric(&m, "fine"));
	suite_metrics_deinit(&m);
}

static void metrics_past_the_depth_limit_add_a_sentinel(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct ktstr_metrics m;
	uint64_t value;

	strbuf_append(&text, "{\"top\":1,\"deep\":");
	strbuf_append_repeated(&text, '[', 64);
	strbuf_append(&text, "5");
	strbuf_append_repeated(&text, ']', 64);
	strbuf_append(&text, "}");
	m = metrics_of(strbuf_str(&text), "");
	assert_int_equal(ktstr_metric_count(&m), 2);
	assert_true(ktstr_has_metric(&m, "top"));
	assert_true(ktstr_metric_u64(&m, JSON_WALK_TRUNCATED, &value));
	assert_int_equal(value, 64);
	suite_metrics_deinit(&m);
}

/* Looked up one by one: a search from the front would take minutes. */
static void a_hundred_thousand_metrics_are_found_by_name(void **state UNUSED)
{
	enum { COUNT = 100000 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct ktstr_metrics m;

	strbuf_append(&text, "{\"all\":[0");
	for (int i = 1; i < COUNT; i++)
		strbuf_appendf(&text, ",%d", 3 * i);
	strbuf_append(&text, "]}");
	m = metrics_of(strbuf_str(&text), "");
	assert_int_equal(ktstr_metric_count(&m), COUNT);
	for (int i = 0; i < COUNT; i++) {
		uint64_t value = 1;
		char name[32];

		snprintf(name, sizeof(name), "all.%d", i);
		assert_true(ktstr_metric_u64(&m, name, &value));
		assert_int_equal(value, 3 * i);
	}
	assert_false(ktstr_has_metric(&m, "all.100000"));
	assert_true(strlen(ktstr_metrics_dump(&m)) < SUITE_LIMIT_METRICS_DUMP_BYTES + 100);
	assert_contains(ktstr_metrics_dump(&m), " more");
	suite_metrics_deinit(&m);
}

static void more_metrics_than_the_limit_are_counted(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct ktstr_metrics m;
	uint64_t dropped;

	strbuf_append(&text, "[0");
	for (int i = 1; i < SUITE_LIMIT_METRICS_COUNT + 3; i++)
		strbuf_append(&text, ",1");
	strbuf_append(&text, "]");
	m = metrics_of(strbuf_str(&text), "");
	assert_int_equal(ktstr_metric_count(&m), SUITE_LIMIT_METRICS_COUNT + 1);
	assert_true(ktstr_metric_u64(&m, JSON_WALK_DROPPED, &dropped));
	assert_int_equal(dropped, 3);
	suite_metrics_deinit(&m);
}

static void a_name_with_a_nul_is_not_mistaken_for_its_beginning(void **state UNUSED)
{
	struct ktstr_metrics m = metrics_of("{\"a\\u0000b\":1}", "");

	assert_int_equal(ktstr_metric_count(&m), 1);
	assert_false(ktstr_has_metric(&m, "a"));
	suite_metrics_deinit(&m);
}

static bool whole(const char *text, uint64_t *ret)
{
	return suite_metrics_whole_number((struct json_text){ text, strlen(text) }, ret);
}

static void every_notation_of_a_whole_number_is_accepted(void **state UNUSED)
{
	static const struct {
		const char *text;
		uint64_t value;
	} rows[] = {
		{ "0", 0 },
		{ "-0", 0 },
		{ "0.000", 0 },
		{ "0e99999999999999999999", 0 },
		{ "7", 7 },
		{ "100", 100 },
		{ "100.00", 100 },
		{ "1002003", 1002003 },
		{ "16777216", 16777216 },
		{ "1.6777216e7", 16777216 },
		{ "1.6777216E+7", 16777216 },
		{ "16777216.0e0", 16777216 },
		{ "1500e-2", 15 },
		{ "0.001e3", 1 },
		{ "100.25e2", 10025 },
		{ "1e15", UINT64_C(1000000000000000) },
		{ "9007199254740992", UINT64_C(9007199254740992) },
		{ "9007199254740992.000", UINT64_C(9007199254740992) },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t value = 12345;

		if (!whole(rows[i].text, &value) || value != rows[i].value)
			fail_msg("%s became %llu", rows[i].text, (unsigned long long)value);
	}
}

/* Several of these are whole numbers once they went through a double. */
static void malformed_numbers_are_refused(void **state UNUSED)
{
	static const char *const rows[] = {
		"-1",
		"0.5",
		"1e-1",
		"15e-2",
		"0.99999999999999999999999999",
		"9007199254740993",
		"9007199254740992.5",
		"18446744073709551616",
		"18446744073709551617",
		"1e16",
		"1e99999999999999999999",
		"1e-99999999999999999999",
		"1000000000000000000000000000000000000000",
		"1.0000000000000000000000000000000000001",
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t value = 12345;

		if (whole(rows[i], &value))
			fail_msg("%s became %llu", rows[i], (unsigned long long)value);
		assert_int_equal(value, 12345);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_have_flat_names),
		cmocka_unit_test(a_document_is_found_between_log_lines),
		cmocka_unit_test(standard_error_is_read_when_standard_output_has_no_number),
		cmocka_unit_test(no_number_anywhere_has_a_reason),
		cmocka_unit_test(a_cut_stream_is_named_in_the_reason),
		cmocka_unit_test(metrics_are_empty_before_they_are_searched),
		cmocka_unit_test(the_first_of_a_name_counts),
		cmocka_unit_test(whole_numbers_are_exact_or_refused),
		cmocka_unit_test(numbers_keep_their_text),
		cmocka_unit_test(numbers_that_are_not_finite_are_skipped),
		cmocka_unit_test(metrics_past_the_depth_limit_add_a_sentinel),
		cmocka_unit_test(a_hundred_thousand_metrics_are_found_by_name),
		cmocka_unit_test(more_metrics_than_the_limit_are_counted),
		cmocka_unit_test(a_name_with_a_nul_is_not_mistaken_for_its_beginning),
		cmocka_unit_test(every_notation_of_a_whole_number_is_accepted),
		cmocka_unit_test(malformed_numbers_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
