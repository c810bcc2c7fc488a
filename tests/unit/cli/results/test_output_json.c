// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/results/results.h"

#include "folder.h"
#include "json/doc.h"

static void every_record_is_in_it_with_what_is_known(void **state)
{
	_cleanup_shown_folder_ struct shown_folder folder = { 0 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	const struct json_value *root;
	struct json_iter it;
	uint64_t n;

	put_every_kind(*state);
	assert_success(shown_folder_read(*state, &folder));
	results_format_json(&folder, &text);
	assert_success(json_doc_parse(text.at, text.n, "results", &doc));
	root = json_doc_root(doc);
	assert_true(json_text_is(json_string(json_find(root, "dir")), *state));
	assert_true(json_get_u64(json_find(json_find(root, "counts"), "fail"), &n));
	assert_int_equal(n, 3);
	it = json_iter_over(json_find(root, "records"));
	while (json_iter_next(&it)) {
		const struct shown_record *record = &folder.records.at[it.index];

		assert_true(json_text_is(json_string(json_find(it.value, "record")), record->file));
		assert_true(json_text_is(json_string(json_find(it.value, "result")),
					 shown_state_name(record->state)));
		assert_int_equal(!json_find(it.value, "reason"),
				 record->run.state != RESULT_FINISHED);
		assert_int_equal(!json_find(it.value, "test"), record->state == SHOWN_UNREADABLE);
		assert_null(json_find(it.value, "wall_ms"));
		assert_non_null(json_find(it.value, "why"));
	}
	assert_int_equal(it.index, 8);
}

static void runs_have_names_and_counts(void **state UNUSED)
{
	_cleanup_shown_runs_ struct shown_runs runs = { .dir = xstrdup("base") };
	struct shown_folder one = { .dir = xstrdup("base/r") };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	struct json_iter it;
	uint64_t n;

	one.counts[SHOWN_SKIP] = 2;
	vec_push(&runs.runs, one);
	runs_format_json(&runs, &text);
	assert_success(json_doc_parse(text.at, text.n, "runs", &doc));
	it = json_iter_over(json_find(json_doc_root(doc), "runs"));
	assert_true(json_iter_next(&it));
	assert_true(json_text_is(json_string(json_find(it.value, "run")), "r"));
	assert_true(json_get_u64(json_find(json_find(it.value, "counts"), "skip"), &n));
	assert_int_equal(n, 2);
	assert_true(json_get_u64(json_find(json_find(it.value, "counts"), "pass"), &n));
	assert_int_equal(n, 0);
	assert_false(json_iter_next(&it));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		folder_test(every_record_is_in_it_with_what_is_known),
		cmocka_unit_test(runs_have_names_and_counts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
