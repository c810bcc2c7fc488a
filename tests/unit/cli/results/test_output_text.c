// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/results/results.h"

#include "folder.h"

static void the_summary_counts_what_there_is(void **state)
{
	_cleanup_shown_folder_ struct shown_folder folder = { 0 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_free_ char *expected = NULL;

	put_every_kind(*state);
	assert_success(shown_folder_read(*state, &folder));
	results_format_summary(&folder, &text);
	expected = xasprintf("9 records in %s: 3 failed, 1 broken, 1 unreadable, 1 unfinished, "
			     "1 inconclusive, 1 skipped, 1 passed\n",
			     (char *)*state);
	assert_string_equal(strbuf_str(&text), expected);
}

static void an_empty_folder_has_no_table(void **state)
{
	_cleanup_shown_folder_ struct shown_folder folder = { 0 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT, summary = STRBUF_INIT;

	assert_success(shown_folder_read(*state, &folder));
	results_format_table(&folder, &(struct text_look){ 0 }, &text);
	assert_string_equal(strbuf_str(&text), "");
	results_format_summary(&folder, &summary);
	assert_contains(strbuf_str(&summary), "No records in ");
}

static void foreign_text_cannot_speak_to_the_terminal(void **state)
{
	_cleanup_shown_folder_ struct shown_folder folder = { 0 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	put_record(*state, "x\033[2J.ktstr.json",
		   "{\"schema\":1,\"state\":\"finished\",\"test_name\":\"\\u001b[31m\","
		   "\"variant_id\":\"0\",\"verdict\":\"fail\",\"reason\":\"check\","
		   "\"why\":\"\\u001b[1m\\n\",\"kept_dir\":\"/\\u001b\",\"notes\":[\"\\u001b\"],"
		   "\"parts\":[{\"verdict\":\"fail\",\"reason\":\"check\",\"text\":\"\\u001b\","
		   "\"file\":\"\\u001b\",\"line\":1}],\"wall_ms\":18446744073709551615}");
	assert_success(shown_folder_read(*state, &folder));
	assert_int_equal(folder.counts[SHOWN_FAIL], 1);
	results_format_table(&folder, &(struct text_look){ 0 }, &text);
	results_format_details(&folder, &text);
	assert_null(strchr(strbuf_str(&text), '\033'));
	assert_contains(strbuf_str(&text), "\\x1b[31m");
}

static void a_plain_pass_has_no_details(void **state)
{
	_cleanup_shown_folder_ struct shown_folder folder = { 0 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	put_record(*state, "a.ktstr.json", RECORD("a", "finished", OUTCOME("pass", "none", "")));
	assert_success(shown_folder_read(*state, &folder));
	results_format_details(&folder, &text);
	assert_string_equal(strbuf_str(&text), "");
}

static void a_pass_with_a_note_has_some(void **state)
{
	_cleanup_shown_folder_ struct shown_folder folder = { 0 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	put_record(*state, "a.ktstr.json",
		   RECORD("a", "finished",
			  OUTCOME("pass", "none", "") ",\"record_problem\":\"it was removed\""));
	assert_success(shown_folder_read(*state, &folder));
	results_format_details(&folder, &text);
	assert_contains(strbuf_str(&text), "s:a: pass\n  note     it was removed\n");
}

static void runs_are_shown_with_their_counts(void **state UNUSED)
{
	_cleanup_shown_runs_ struct shown_runs runs = { .dir = xstrdup("base") };
	struct shown_folder one = { .dir = xstrdup("base/2026-01-02T03-04-05-6") };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	one.counts[SHOWN_PASS] = 2;
	one.counts[SHOWN_UNFINISHED] = 1;
	vec_push(&runs.runs, one);
	runs_format_table(&runs, &(struct text_look){ 0 }, &text);
	assert_string_equal(strbuf_str(&text),
			    "RUN                    RECORDS  RESULT\n"
			    "2026-01-02T03-04-05-6        0  1 unfinished, 2 passed\n");
}

static void the_line_that_does_it_again_can_be_pasted(void **state)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_shown_folder_ struct shown_folder folder = { 0 };
	_cleanup_free_ char *line = xasprintf("  again    ktstr rerun '%s/it'\\''s.ktstr.json'\n",
					      (const char *)*state);

	put_record(
		*state, "it's.ktstr.json",
		RECORD("g", "finished",
		       OUTCOME("fail", "check", "") ",\"rerun\":{\"binary\":{\"path\":\"/my\"}}"));
	assert_success(shown_folder_read(*state, &folder));
	results_format_details(&folder, &text);
	assert_non_null(strstr(strbuf_str(&text), line));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		folder_test(the_summary_counts_what_there_is),
		folder_test(an_empty_folder_has_no_table),
		folder_test(foreign_text_cannot_speak_to_the_terminal),
		folder_test(a_plain_pass_has_no_details),
		folder_test(a_pass_with_a_note_has_some),
		folder_test(the_line_that_does_it_again_can_be_pasted),
		cmocka_unit_test(runs_are_shown_with_their_counts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
