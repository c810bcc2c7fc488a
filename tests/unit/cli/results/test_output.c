// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/results/results.h"

#include "json/doc.h"
#include "dir.h"
#include "unit.h"

static void the_summary_counts_what_there_is(void **state)
{
	_cleanup_shown_dir_ struct shown_dir directory = { 0 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_free_ char *expected = NULL;

	put_every_kind(*state);
	assert_success(shown_dir_read(*state, &directory));
	results_format_summary(&directory, &text);
	expected = xasprintf("9 records in %s: 3 failed, 1 broken, 1 unreadable, 1 unfinished, "
			     "1 inconclusive, 1 skipped, 1 passed\n",
			     (char *)*state);
	assert_string_equal(strbuf_str(&text), expected);
}

static void an_empty_directory_has_no_table(void **state)
{
	_cleanup_shown_dir_ struct shown_dir directory = { 0 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT, summary = STRBUF_INIT;

	assert_success(shown_dir_read(*state, &directory));
	results_format_table(&directory, &(struct text_look){ 0 }, &text);
	assert_string_equal(strbuf_str(&text), "");
	results_format_summary(&directory, &summary);
	assert_contains(strbuf_str(&summary), "No records in ");
}

static void control_characters_of_a_record_are_escaped(void **state)
{
	_cleanup_shown_dir_ struct shown_dir directory = { 0 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	put_record(*state, "x\033[2J.ktstr.json",
		   "{\"schema\":1,\"state\":\"finished\",\"test_name\":\"\\u001b[31m\","
		   "\"variant_id\":\"0\",\"verdict\":\"fail\",\"reason\":\"check\","
		   "\"why\":\"\\u001b[1m\\n\",\"kept_dir\":\"/\\u001b\",\"notes\":[\"\\u001b\"],"
		   "\"parts\":[{\"verdict\":\"fail\",\"reason\":\"check\",\"text\":\"\\u001b\","
		   "\"file\":\"\\u001b\",\"line\":1}],\"wall_ms\":18446744073709551615}");
	assert_success(shown_dir_read(*state, &directory));
	assert_int_equal(directory.counts[SHOWN_FAIL], 1);
	results_format_table(&directory, &(struct text_look){ 0 }, &text);
	results_format_details(&directory, &text);
	assert_null(strchr(strbuf_str(&text), '\033'));
	assert_contains(strbuf_str(&text), "\\x1b[31m");
}

static void a_plain_pass_has_no_details(void **state)
{
	_cleanup_shown_dir_ struct shown_dir directory = { 0 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	put_record(*state, "a.ktstr.json", RECORD("a", "finished", OUTCOME("pass", "none", "")));
	assert_success(shown_dir_read(*state, &directory));
	results_format_details(&directory, &text);
	assert_string_equal(strbuf_str(&text), "");
}

static void a_pass_with_a_note_has_some(void **state)
{
	_cleanup_shown_dir_ struct shown_dir directory = { 0 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	put_record(*state, "a.ktstr.json",
		   RECORD("a", "finished",
			  OUTCOME("pass", "none", "") ",\"record_problem\":\"it was removed\""));
	assert_success(shown_dir_read(*state, &directory));
	results_format_details(&directory, &text);
	assert_contains(strbuf_str(&text), "s:a: pass\n  note     it was removed\n");
}

static void the_clock_of_a_run_is_shown(void **state)
{
	_cleanup_shown_dir_ struct shown_dir directory = { 0 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT, json = STRBUF_INIT;

	put_record(*state, "a.ktstr.json",
		   RECORD("a", "finished",
			  OUTCOME("fail", "check", "31 %") ",\"clock\":\"virtual\",\"seed\":7,"
							   "\"cpu_mips\":62.5,\"total_mips\":250,"
							   "\"digest\":\"0123456789abcdef\""));
	assert_success(shown_dir_read(*state, &directory));
	results_format_details(&directory, &text);
	assert_contains(strbuf_str(&text),
			"  clock    virtual, seed 7, 62.5 MIPS of each CPU, 250 in all\n"
			"  digest   0123456789abcdef\n");
	results_format_json(&directory, &json);
	assert_contains(strbuf_str(&json), "\"clock\": \"virtual\",");
	assert_contains(strbuf_str(&json), "\"seed\": 7,");
	assert_contains(strbuf_str(&json), "\"digest\": \"0123456789abcdef\"");
}

static void runs_are_shown_with_their_counts(void **state UNUSED)
{
	_cleanup_shown_runs_ struct shown_runs runs = { .dir = xstrdup("base") };
	struct shown_dir one = { .dir = xstrdup("base/2026-01-02T03-04-05-6") };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	one.counts[SHOWN_PASS] = 2;
	one.counts[SHOWN_UNFINISHED] = 1;
	vec_push(&runs.runs, one);
	runs_format_table(&runs, &(struct text_look){ 0 }, &text);
	assert_string_equal(strbuf_str(&text),
			    "RUN                    RECORDS  RESULT\n"
			    "2026-01-02T03-04-05-6        0  1 unfinished, 2 passed\n");
}

static void the_rerun_command_is_quoted_for_a_shell(void **state)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_shown_dir_ struct shown_dir directory = { 0 };
	_cleanup_free_ char *line = xasprintf("  again    ktstr rerun '%s/it'\\''s.ktstr.json'\n",
					      (const char *)*state);

	put_record(
		*state, "it's.ktstr.json",
		RECORD("g", "finished",
		       OUTCOME("fail", "check", "") ",\"rerun\":{\"binary\":{\"path\":\"/my\"}}"));
	assert_success(shown_dir_read(*state, &directory));
	results_format_details(&directory, &text);
	assert_non_null(strstr(strbuf_str(&text), line));
}

static void every_record_is_in_it_with_what_is_known(void **state)
{
	_cleanup_shown_dir_ struct shown_dir directory = { 0 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	const struct json_value *root;
	struct json_iter it;
	uint64_t n;

	put_every_kind(*state);
	assert_success(shown_dir_read(*state, &directory));
	results_format_json(&directory, &text);
	assert_success(json_doc_parse(text.at, text.n, "results", &doc));
	root = json_doc_root(doc);
	assert_true(json_text_is(json_string(json_find(root, "dir")), *state));
	assert_true(json_get_u64(json_find(json_find(root, "counts"), "fail"), &n));
	assert_int_equal(n, 3);
	it = json_iter_over(json_find(root, "records"));
	while (json_iter_next(&it)) {
		const struct shown_record *record = &directory.records.at[it.index];

		assert_true(json_text_is(json_string(json_find(it.value, "record")), record->file));
		assert_true(json_text_is(json_string(json_find(it.value, "result")),
					 shown_states[record->state].name));
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
	struct shown_dir one = { .dir = xstrdup("base/r") };
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

static void the_record_man_page_lists_members_of_every_table(void **state UNUSED)
{
	static const char *const members[] = {
		"*schema* (whole number)",
		"*state* (string)",
		"*rerun.files[].path* (string)",
		"*host.cpufreq\\_governor* (object of strings, may be absent)",
		"*parts[].verdict* (string)",
		"*absent[].why* (string)",
		"*stats.worst\\_gap\\_ms* (whole number, ms, lower is better, may be absent)",
		"*workers[].cpu\\_ns* (whole number)",
		"*measures[].unit* (string)",
		"*metrics[].metrics[].polarity* (string)",
	};
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	record_format_man(&text);
	for (size_t i = 0; i < ARRAY_SIZE(members); i++)
		assert_contains(text.at, members[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		dir_test(the_summary_counts_what_there_is),
		dir_test(an_empty_directory_has_no_table),
		dir_test(control_characters_of_a_record_are_escaped),
		dir_test(a_plain_pass_has_no_details),
		dir_test(a_pass_with_a_note_has_some),
		dir_test(the_rerun_command_is_quoted_for_a_shell),
		cmocka_unit_test(runs_are_shown_with_their_counts),
		dir_test(the_clock_of_a_run_is_shown),
		dir_test(every_record_is_in_it_with_what_is_known),
		cmocka_unit_test(runs_have_names_and_counts),
		cmocka_unit_test(the_record_man_page_lists_members_of_every_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
