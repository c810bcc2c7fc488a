// SPDX-License-Identifier: GPL-2.0-or-later
#include "result/record.h"

#include "base/alloc.h"
#include "result/limits.h"
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

static void blanks_before_the_bracket_stay_there(void **state UNUSED)
{
	assert_becomes("{\"metrics\":[1 ]}", "{\"metrics\":[1," SMALL_ENTRY("1") " ]}");
	assert_becomes("{\"metrics\":[ ]}", "{\"metrics\":[" SMALL_ENTRY("0") "]}");
}

static void what_is_no_record_says_parse_and_regenerate(void **state UNUSED)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_compact_record_stays_compact),
		cmocka_unit_test(a_pretty_record_stays_pretty),
		cmocka_unit_test(every_other_byte_survives),
		cmocka_unit_test(blanks_before_the_bracket_stay_there),
		cmocka_unit_test(what_is_no_record_says_parse_and_regenerate),
		cmocka_unit_test(leaves_become_metrics_with_prefix_and_hints),
		cmocka_unit_test(appending_twice_numbers_the_entries),
		cmocka_unit_test(a_record_never_grows_past_what_can_be_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
