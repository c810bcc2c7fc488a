// SPDX-License-Identifier: GPL-2.0-or-later
#include "result/record.h"

#include "base/alloc.h"
#include "unit.h"

static void assert_written(struct result_polarity polarity, const char *expected)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	struct json_writer w = json_writer_to(&out, JSON_COMPACT);

	struct result_metric_entry entry = {
		.name = { "a\0b", 3 },
		.value = { "18446744073709551616", 20 },
		.polarity = polarity,
		.unit = "us",
	};
	_cleanup_free_ char *all = xasprintf(
		"{\"name\":\"a\\u0000b\",\"value\":18446744073709551616,\"polarity\":%s,"
		"\"unit\":\"us\"}",
		expected);

	json_rows_write(&result_metric_entry_rows, &entry, &w);
	assert_string_equal(strbuf_str(&out), all);
}

static void polarities_have_the_words_of_the_record(void **state UNUSED)
{
	assert_written((struct result_polarity){ 0 }, "\"Unknown\"");
	assert_written((struct result_polarity){ RESULT_POLARITY_HIGHER_BETTER, 0 },
		       "\"HigherBetter\"");
	assert_written((struct result_polarity){ RESULT_POLARITY_LOWER_BETTER, 0 },
		       "\"LowerBetter\"");
	assert_written((struct result_polarity){ RESULT_POLARITY_TARGET_VALUE, 2.5 },
		       "{\"TargetValue\":2.5}");
}

static const struct result_metric_hint rows[] = {
	{ ".allocated_bytes", { RESULT_POLARITY_LOWER_BETTER, 0 }, "bytes" },
	{ "_bytes", { RESULT_POLARITY_HIGHER_BETTER, 0 }, "B" },
};
static const struct result_metric_hints table = { rows, ARRAY_SIZE(rows) };

static const struct result_metric_hint *find(const char *name)
{
	return result_metric_hint_find(&table, name, strlen(name));
}

static void the_first_hint_whose_suffix_fits_is_taken(void **state UNUSED)
{
	assert_ptr_equal(find("probe.threads.0.allocated_bytes"), &rows[0]);
	assert_ptr_equal(find("probe.other_bytes"), &rows[1]);
	assert_ptr_equal(find("_bytes"), &rows[1]);
}

static void a_name_that_only_contains_the_suffix_is_unknown(void **state UNUSED)
{
	assert_null(find("probe.allocated_bytes_extra"));
	assert_null(find("bytes"));
	assert_null(find(""));
	assert_null(result_metric_hint_find(&(struct result_metric_hints){ 0 }, "a", 1));
}

static void every_figure_with_a_unit_is_a_measure(void **state UNUSED)
{
	static const struct json_row inner_list[] = {
		{ .name = "spread", .unit = "%", .direction = JSON_LOWER_IS_BETTER },
	};
	static const struct json_rows inner = { JSON_TABLE(inner_list) };
	static const struct json_row list[] = {
		{ .name = "cgroups", .type = JSON_ROW_OBJECTS, .list_size = 16, .rows = &inner },
		{ .name = "work", .unit = "iterations", .direction = JSON_HIGHER_IS_BETTER },
		{ .name = "kind" },
	};
	static const struct json_rows outer = { JSON_TABLE(list) };
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	struct json_writer w = json_writer_to(&out, JSON_COMPACT);

	json_begin_array(&w);
	result_write_measures(&outer, "stats", &w);
	json_end_array(&w);
	assert_string_equal(strbuf_str(&out),
			    "[{\"name\":\"stats.cgroups[].spread\",\"unit\":\"%\","
			    "\"polarity\":\"LowerBetter\"},"
			    "{\"name\":\"stats.work\",\"unit\":\"iterations\","
			    "\"polarity\":\"HigherBetter\"}]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(polarities_have_the_words_of_the_record),
		cmocka_unit_test(the_first_hint_whose_suffix_fits_is_taken),
		cmocka_unit_test(every_figure_with_a_unit_is_a_measure),
		cmocka_unit_test(a_name_that_only_contains_the_suffix_is_unknown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
