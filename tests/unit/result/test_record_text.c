// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include "base/alloc.h"
#include "result/limits.h"
#include "result/record.h"
#include "sample.h"

/* {"x":7} as the output of a program that exited with 5. */
static struct error *append_small(const char *record, struct strbuf *out)
{
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	struct result_append append = { .name_prefix = "p", .exit_code = 5 };

	assert_success(json_doc_parse("{\"x\":7}", 7, "output", &doc));
	append.output = json_doc_root(doc);
	return result_append_text(record, strlen(record), "r.json", &append, out);
}

#define SMALL_METRIC                                              \
	"{\"name\":\"p.x\",\"value\":7,\"polarity\":\"Unknown\"," \
	"\"unit\":\"\",\"source\":\"Json\",\"stream\":\"Stdout\"}"
#define SMALL_ENTRY(index) \
	"{\"payload_index\":" index ",\"metrics\":[" SMALL_METRIC "],\"exit_code\":5}"

static void assert_becomes(const char *before, const char *after)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;

	assert_success(append_small(before, &out));
	assert_string_equal(strbuf_str(&out), after);
}

static void a_compact_record_stays_compact(void **state UNUSED)
{
	assert_becomes("{\"metrics\":[]}", "{\"metrics\":[" SMALL_ENTRY("0") "]}");
	assert_becomes("{\"metrics\":[{}]}\n", "{\"metrics\":[{}," SMALL_ENTRY("1") "]}\n");
}

static void a_pretty_record_stays_pretty(void **state UNUSED)
{
	assert_becomes("{\n  \"a\": 1,\n  \"metrics\": []\n}\n",
		       "{\n  \"a\": 1,\n  \"metrics\": [\n"
		       "    {\n"
		       "      \"payload_index\": 0,\n"
		       "      \"metrics\": [\n"
		       "        {\n"
		       "          \"name\": \"p.x\",\n"
		       "          \"value\": 7,\n"
		       "          \"polarity\": \"Unknown\",\n"
		       "          \"unit\": \"\",\n"
		       "          \"source\": \"Json\",\n"
		       "          \"stream\": \"Stdout\"\n"
		       "        }\n"
		       "      ],\n"
		       "      \"exit_code\": 5\n"
		       "    }\n"
		       "  ]\n}\n");
}

/* Everything a parser could lose: escapes, spellings of numbers, duplicates, order, blanks. */
static void every_other_byte_survives(void **state UNUSED)
{
	static const char *const heads[] = {
		"{\"metrics\":[",
		" {\"big\":18446744073709551615,\"neg\":-9223372036854775808,\"metrics\":[",
		"{\"d\":1.10,\"e\":1E+2,\"huge\":1e999,\"long\":0.1000000000000000000001,\"metrics\":[",
		"{\"k\":1,\"k\":2,\"\\u0041\":\"\\u00e9\\/\",\"o\":{\"metrics\":[1,2]},\"m\\u0065trics\":[",
		"{\"s\":\"\\\"metrics\\\":[\",\"a\":[[],{\"metrics\":[]}],\"metrics\" : [",
	};
	static const char *const tails[] = { "]}", "],\"z\":[],\"y\":{\"metrics\":[3]}} " };
	static const char *const elements[] = { "", "1.50", "{\"payload_index\":9},[]" };

	for (size_t i = 0; i < ARRAY_SIZE(heads) * ARRAY_SIZE(tails) * ARRAY_SIZE(elements); i++) {
		const char *head = heads[i % ARRAY_SIZE(heads)];
		const char *tail = tails[i / ARRAY_SIZE(heads) % ARRAY_SIZE(tails)];
		size_t e = i / ARRAY_SIZE(heads) / ARRAY_SIZE(tails);
		static const char *const added[] = { SMALL_ENTRY("0"), "," SMALL_ENTRY("1"),
						     "," SMALL_ENTRY("2") };
		_cleanup_free_ char *before = xasprintf("%s%s%s", head, elements[e], tail);
		_cleanup_free_ char *after = xasprintf("%s%s%s%s", head, elements[e], added[e],
						       tail);

		assert_becomes(before, after);
	}
}

static void spaces_before_the_closing_bracket_are_kept(void **state UNUSED)
{
	assert_becomes("{\"metrics\":[1 ]}", "{\"metrics\":[1," SMALL_ENTRY("1") " ]}");
	assert_becomes("{\"metrics\":[ ]}", "{\"metrics\":[" SMALL_ENTRY("0") "]}");
}

static void a_malformed_record_is_a_parse_error_with_a_hint(void **state UNUSED)
{
	static const char *const wrong[] = {
		"",
		"{ this is not valid json }",
		"[]",
		"7",
		"{}",
		"{\"metrics\":{}}",
		"{\"metrics\":7}",
		"{\"x\":{\"metrics\":[]}}",
		"null",
		"{\"metrics\":null}",
		"{\"metrics\":[]",
		"{\"metrics\":[],}",
		"{\"metrics\":[],\"metrics\":[]}",
	};

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
		_cleanup_error_ struct error *err = append_small(wrong[i], &out);

		assert_non_null(err);
		assert_string_equal(error_tag(err), "parse");
		assert_contains(error_message(err), "parse");
		assert_contains(error_message(err), "regenerate");
		assert_contains(error_message(err), "r.json");
		assert_int_equal(out.n, 0);
	}
}

static const struct json_value *member(const struct json_value *value, const char *name)
{
	const struct json_value *found = json_find(value, name);

	assert_non_null(found);
	return found;
}

static const struct json_value *metric_ending(const struct json_value *metrics, const char *suffix)
{
	struct json_iter it = json_iter_over(metrics);

	while (json_iter_next(&it)) {
		struct json_text name = json_string(member(it.value, "name"));
		size_t n = strlen(suffix);

		assert_memory_equal(name.at, "jemalloc_probe.", 15);
		if (name.n >= n && memcmp(name.at + name.n - n, suffix, n) == 0)
			return it.value;
	}
	fail_msg("no metric ends in %s", suffix);
	return NULL;
}

static void assert_metric(const struct json_value *metrics, const char *suffix, const char *value,
			  const char *polarity, const char *unit)
{
	const struct json_value *m = metric_ending(metrics, suffix);

	assert_true(json_text_is(json_number_text(member(m, "value")), value));
	assert_true(json_text_is(json_string(member(m, "polarity")), polarity));
	assert_true(json_text_is(json_string(member(m, "unit")), unit));
	assert_true(json_text_is(json_string(member(m, "source")), "Json"));
	assert_true(json_text_is(json_string(member(m, "stream")), "Stdout"));
}

static void leaves_become_metrics_with_prefix_and_hints(void **state UNUSED)
{
	_cleanup_json_doc_ struct json_doc *output = NULL, *doc = NULL;
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	struct result_append append = sample_append(-1, &output);
	const struct json_value *entry, *metrics;
	struct json_iter it;
	int64_t code;

	assert_success(result_append_text("{\"metrics\":[]}", 14, "r", &append, &out));
	assert_success(json_doc_parse(out.at, out.n, "after", &doc));
	it = json_iter_over(member(json_doc_root(doc), "metrics"));
	assert_true(json_iter_next(&it));
	entry = it.value;
	metrics = member(entry, "metrics");
	assert_true(json_get_i64(member(entry, "exit_code"), &code));
	assert_int_equal(code, -1);
	assert_int_equal(json_length(metrics), SAMPLE_LEAVES);
	assert_metric(metrics, ".threads.0.allocated_bytes", "18446744073709551615", "LowerBetter",
		      "bytes");
	assert_metric(metrics, ".deallocated_bytes", "512", "LowerBetter", "bytes");
	assert_metric(metrics, "jemalloc_probe.snapshots.0.threads.1.tid", "99", "Unknown", "");
	assert_metric(metrics, "jemalloc_probe.pid", "42", "Unknown", "");
}

static void appending_twice_numbers_the_entries(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf once = STRBUF_INIT, twice = STRBUF_INIT;

	assert_success(append_small("{\"metrics\":[]}", &once));
	assert_success(append_small(strbuf_str(&once), &twice));
	assert_string_equal(strbuf_str(&twice),
			    "{\"metrics\":[" SMALL_ENTRY("0") "," SMALL_ENTRY("1") "]}");
}

static void a_record_never_grows_past_what_can_be_read(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf record = STRBUF_INIT, out = STRBUF_INIT;

	strbuf_append(&record, "{\"metrics\":[],\"s\":\"");
	strbuf_append_repeated(&record, 'x', RESULT_LIMIT_RECORD_BYTES - 100);
	strbuf_append(&record, "\"}");
	assert_error_tag(append_small(strbuf_str(&record), &out), "limit");
	assert_int_equal(out.n, 0);
}

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

static void polarities_are_written_with_their_record_names(void **state UNUSED)
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

static char *measures_of(bool virtual_clock)
{
	static const struct json_row inner_list[] = {
		{ .name = "spread", .unit = "%", .direction = JSON_LOWER_IS_BETTER },
	};
	static const struct json_rows inner = { JSON_TABLE(inner_list) };
	static const struct json_row list[] = {
		{ .name = "cgroups", .type = JSON_ROW_OBJECTS, .list_size = 16, .rows = &inner },
		{ .name = "work",
		  .unit = "iterations",
		  .direction = JSON_HIGHER_IS_BETTER,
		  .rate = true },
		{ .name = "kind" },
	};
	static const struct json_rows outer = { JSON_TABLE(list) };
	struct strbuf out = STRBUF_INIT;
	struct json_writer w = json_writer_to(&out, JSON_COMPACT);

	json_begin_array(&w);
	result_write_measures(&outer, "stats", virtual_clock, &w);
	json_end_array(&w);
	return strbuf_take(&out);
}

static void every_figure_with_a_unit_is_a_measure(void **state UNUSED)
{
	_cleanup_free_ char *measures = measures_of(false);

	assert_string_equal(measures, "[{\"name\":\"stats.cgroups[].spread\",\"unit\":\"%\","
				      "\"polarity\":\"LowerBetter\"},"
				      "{\"name\":\"stats.work\",\"unit\":\"iterations\","
				      "\"polarity\":\"HigherBetter\"}]");
}

static void neither_way_is_better_for_a_rate_with_a_virtual_clock(void **state UNUSED)
{
	_cleanup_free_ char *measures = measures_of(true);

	assert_string_equal(measures, "[{\"name\":\"stats.cgroups[].spread\",\"unit\":\"%\","
				      "\"polarity\":\"LowerBetter\"},"
				      "{\"name\":\"stats.work\",\"unit\":\"iterations\","
				      "\"polarity\":\"Unknown\","
				      "\"not_judged\":\"a rate, with a virtual clock\"}]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_compact_record_stays_compact),
		cmocka_unit_test(a_pretty_record_stays_pretty),
		cmocka_unit_test(every_other_byte_survives),
		cmocka_unit_test(spaces_before_the_closing_bracket_are_kept),
		cmocka_unit_test(a_malformed_record_is_a_parse_error_with_a_hint),
		cmocka_unit_test(leaves_become_metrics_with_prefix_and_hints),
		cmocka_unit_test(appending_twice_numbers_the_entries),
		cmocka_unit_test(a_record_never_grows_past_what_can_be_read),
		cmocka_unit_test(polarities_are_written_with_their_record_names),
		cmocka_unit_test(the_first_hint_whose_suffix_fits_is_taken),
		cmocka_unit_test(every_figure_with_a_unit_is_a_measure),
		cmocka_unit_test(neither_way_is_better_for_a_rate_with_a_virtual_clock),
		cmocka_unit_test(a_name_that_only_contains_the_suffix_is_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
