// SPDX-License-Identifier: GPL-2.0-or-later
#include "json/walk.h"

#include <inttypes.h>

#include "base/strbuf.h"
#include "json/doc.h"
#include "unit.h"

/* "name=text;" for every leaf, in order. */
static struct error *note_leaf(void *context, const struct json_leaf *leaf)
{
	struct strbuf *notes = context;

	strbuf_append_bytes(notes, leaf->name.at, leaf->name.n);
	strbuf_append_char(notes, '=');
	strbuf_append_bytes(notes, leaf->text.at, leaf->text.n);
	strbuf_append_char(notes, ';');
	return NULL;
}

static struct json_walk_report walk_text(const char *text, const struct json_walk_limits *limits,
					 struct strbuf *notes)
{
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	struct json_walk_report report = { 0 };

	assert_success(json_doc_parse(text, strlen(text), "test", &doc));
	assert_success(json_walk_leaves(json_doc_root(doc), limits, note_leaf, notes, &report));
	return report;
}

static void assert_leaves(const char *text, const char *expected)
{
	_cleanup_strbuf_ struct strbuf notes = STRBUF_INIT;

	walk_text(text, NULL, &notes);
	assert_string_equal(strbuf_str(&notes), expected);
}

static void names_join_keys_and_indices_with_dots(void **state UNUSED)
{
	assert_leaves("{\"a\":[{\"b\":7},{\"b\":8}],\"c\":{\"d\":{\"e\":1}}}",
		      "a.0.b=7;a.1.b=8;c.d.e=1;");
	assert_leaves("[1,[2,3]]", "0=1;1.0=2;1.1=3;");
	assert_leaves("{\"a.b\":1,\"b\":2,\"b\":3}", "a.b=1;b=2;b=3;");
}

static void only_finite_numbers_are_leaves(void **state UNUSED)
{
	assert_leaves("{\"s\":\"1\",\"t\":true,\"n\":null,\"h\":1e999,\"e\":[],\"o\":{},\"x\":1}",
		      "x=1;");
	assert_leaves("5", "");
	assert_leaves("\"5\"", "");
	assert_leaves("[null,2]", "1=2;");
}

static struct error *note_value(void *context, const struct json_leaf *leaf)
{
	*(double *)context = leaf->value;
	return NULL;
}

static void values_carry_the_double_and_the_exact_text(void **state UNUSED)
{
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	double value = 0;

	assert_leaves("{\"a\":18446744073709551615,\"b\":1.50}", "a=18446744073709551615;b=1.50;");
	assert_success(json_doc_parse("[1.50]", 6, "test", &doc));
	assert_success(json_walk_leaves(json_doc_root(doc), NULL, note_value, &value, NULL));
	assert_true(value == 1.5);
}

/* A number inside `depth` arrays, twice. */
static void nest(struct strbuf *text, unsigned int depth)
{
	strbuf_append(text, "{\"a\":");
	strbuf_append_repeated(text, '[', depth - 1);
	strbuf_append(text, "1");
	strbuf_append_repeated(text, ']', depth - 1);
	strbuf_append(text, ",\"b\":");
	strbuf_append_repeated(text, '[', depth - 1);
	strbuf_append(text, "2");
	strbuf_append_repeated(text, ']', depth - 1);
	strbuf_append(text, ",\"c\":3}");
}

static void sixty_four_levels_are_walked(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT, notes = STRBUF_INIT;
	struct json_walk_report report;

	nest(&text, 64);
	report = walk_text(strbuf_str(&text), NULL, &notes);
	assert_int_equal(report.leaves, 3);
	assert_false(report.truncated);
	assert_null(strstr(strbuf_str(&notes), JSON_WALK_TRUNCATED));
}

static void subtrees_past_the_depth_limit_add_one_sentinel_leaf(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT, notes = STRBUF_INIT;
	struct json_walk_report report;

	nest(&text, 65);
	report = walk_text(strbuf_str(&text), NULL, &notes);
	assert_string_equal(strbuf_str(&notes), "c=3;__walk_json_leaves_truncated=64;");
	assert_true(report.truncated);
	assert_int_equal(report.leaves, 1);
}

static void leaves_past_a_limit_are_counted(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf few = STRBUF_INIT, short_names = STRBUF_INIT;
	struct json_walk_limits limits = json_walk_default_limits;
	struct json_walk_report report;

	limits.leaves = 2;
	report = walk_text("[1,2,3,[4]]", &limits, &few);
	assert_string_equal(strbuf_str(&few), "0=1;1=2;__walk_json_leaves_dropped=2;");
	assert_int_equal(report.dropped, 2);
	limits = json_walk_default_limits;
	limits.name_bytes = 5;
	report = walk_text("{\"abc\":1,\"def\":2,\"gh\":3}", &limits, &short_names);
	assert_string_equal(strbuf_str(&short_names), "abc=1;gh=3;__walk_json_leaves_dropped=1;");
	assert_int_equal(report.leaves, 2);
}

static struct error *refuse(void *context, const struct json_leaf *leaf UNUSED)
{
	++*(int *)context;
	return base_error(BASE_LIMIT, 0, "enough");
}

static void an_error_of_the_callback_ends_the_walk(void **state UNUSED)
{
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	struct json_walk_report report = { .leaves = 77 };
	int calls = 0;

	assert_success(json_doc_parse("[[1],2]", 7, "test", &doc));
	assert_error_tag(json_walk_leaves(json_doc_root(doc), NULL, refuse, &calls, &report),
			 "limit");
	assert_int_equal(calls, 1);
	assert_int_equal(report.leaves, 77);
}

static void integers_of_64_bits_keep_every_digit(void **state UNUSED)
{
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	const char *text = "[18446744073709551615,18446744073709551616,00,1.0]";
	uint64_t largest = 0, other = 7;

	assert_error_tag(json_doc_parse(text, strlen(text), "test", &doc), "parse");
	text = "[18446744073709551615,18446744073709551616,1.0]";
	assert_success(json_doc_parse(text, strlen(text), "test", &doc));
	for (struct json_iter it = json_iter_over(json_doc_root(doc)); json_iter_next(&it);)
		assert_int_equal(json_get_u64(it.value, it.index ? &other : &largest), !it.index);
	assert_true(largest == UINT64_MAX);
	assert_int_equal(other, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_join_keys_and_indices_with_dots),
		cmocka_unit_test(only_finite_numbers_are_leaves),
		cmocka_unit_test(values_carry_the_double_and_the_exact_text),
		cmocka_unit_test(sixty_four_levels_are_walked),
		cmocka_unit_test(subtrees_past_the_depth_limit_add_one_sentinel_leaf),
		cmocka_unit_test(leaves_past_a_limit_are_counted),
		cmocka_unit_test(an_error_of_the_callback_ends_the_walk),
		cmocka_unit_test(integers_of_64_bits_keep_every_digit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
