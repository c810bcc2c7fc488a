// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/form.h"

#include "stage.h"

static const struct report_explain_look plain = { 0 };

static void the_deciding_part_is_printed_first_with_its_location(void **state UNUSED)
{
	_cleanup_result_outcome_ struct result_outcome o = made_outcome("fair", "x");
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

	result_outcome_add_part(&o, KTSTR_REASON_BOOT, NULL, 0, "too slow");
	result_outcome_add_part(&o, KTSTR_REASON_CHECK, "fair.c", 31, "spread of left is 41 %");
	result_outcome_add_part(&o, KTSTR_REASON_CHECK, "fair.c", 0, "spread of right is 40 %");
	result_outcome_settle(&o);
	report_explain_reason(&o, &plain, &s);
	report_explain_other_parts(&o, &plain, &s);
	assert_string_equal(strbuf_str(&s),
			    "        check: spread of left is 41 %, at fair.c:31\n"
			    "        also boot: too slow\n"
			    "        also check: spread of right is 40 %, at fair.c\n");
}

static void a_part_without_text_shows_the_reasons_meaning(void **state UNUSED)
{
	_cleanup_result_outcome_ struct result_outcome o = made_outcome("fair", "x");
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

	o.reason = KTSTR_REASON_GUEST_PANIC;
	report_explain_reason(&o, &plain, &s);
	assert_string_equal(strbuf_str(&s), "        guest-panic: the guest's kernel panicked\n");
}

static void continuation_lines_are_indented_and_escaped(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	_cleanup_result_outcome_ struct result_outcome o = made_failure(
		"fair", "x", KTSTR_REASON_PAYLOAD,
		"ended with 3\nagain:  rm -rf /\n\033[2J  deep\n\n");

	report_explain_reason(&o, &plain, &s);
	assert_string_equal(strbuf_str(&s), "        payload: ended with 3\n"
					    "            again:  rm -rf /\n"
					    "            \\x1b[2J  deep\n");
}

static void long_texts_are_cut_unless_verbose(void **state UNUSED)
{
	_cleanup_result_outcome_ struct result_outcome o = made_outcome("fair", "x");
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	struct report_explain_look verbose = { .verbose = true };

	for (int i = 0; i < REPORT_LIMIT_TEXT_LINES; i++)
		strbuf_appendf(&text, "line %d\n", i);
	result_outcome_add_note(&o, strbuf_str(&text));
	report_explain_notes(&o, &plain, &s);
	assert_contains(strbuf_str(&s), "line 11\n");
	assert_null(strstr(strbuf_str(&s), "more lines"));

	strbuf_append(&text, "one more");
	result_outcome_add_note(&o, strbuf_str(&text));
	report_explain_notes(&o, &plain, &s);
	assert_contains(strbuf_str(&s), "            (more lines in the record)\n");
	assert_null(strstr(strbuf_str(&s), "one more"));
	report_explain_notes(&o, &verbose, &s);
	assert_contains(strbuf_str(&s), "one more");
}

static void many_parts_and_notes_are_counted(void **state UNUSED)
{
	_cleanup_result_outcome_ struct result_outcome o = made_outcome("fair", "x");
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	struct report_explain_look verbose = { .verbose = true };

	for (int i = 0; i < REPORT_LIMIT_ITEMS + 2; i++) {
		_cleanup_free_ char *text = xasprintf("number %d", i);

		result_outcome_add_part(&o, KTSTR_REASON_CHECK, NULL, 0, text);
		result_outcome_add_note(&o, text);
	}
	result_outcome_add_note(&o, "number 10");
	result_outcome_settle(&o);
	report_explain_other_parts(&o, &plain, &s);
	assert_contains(strbuf_str(&s),
			"also check: number 8\n        (1 more part in the record)\n");
	strbuf_clear(&s);
	report_explain_notes(&o, &plain, &s);
	assert_contains(strbuf_str(&s), "note: number 7\n        (3 more notes in the record)\n");
	strbuf_clear(&s);
	report_explain_notes(&o, &verbose, &s);
	report_explain_other_parts(&o, &verbose, &s);
	assert_contains(strbuf_str(&s), "note: number 10\n");
	assert_contains(strbuf_str(&s), "also check: number 9\n");
	assert_null(strstr(strbuf_str(&s), "more"));
}

static void texts_are_broken_at_spaces_and_paths_never(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	_cleanup_result_outcome_ struct result_outcome o = made_failure(
		"fair", "x", KTSTR_REASON_CHECK, "the spread of left is 41 percent of it");
	struct report_explain_look narrow = { .columns = 30 };

	o.record_path = xstrdup("/a/path with blanks/longer/than/the/terminal.ktstr.json");
	o.rerun = xstrdup("ktstr rerun it");
	report_explain_reason(&o, &narrow, &s);
	report_explain_places(&o, &narrow, &s);
	assert_string_equal(
		strbuf_str(&s),
		"        check: the spread of\n"
		"               left is 41\n"
		"               percent of it\n"
		"        test:   fair.c:12\n"
		"        record: /a/path with blanks/longer/than/the/terminal.ktstr.json\n"
		"        again:  ktstr rerun it\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_deciding_part_is_printed_first_with_its_location),
		cmocka_unit_test(a_part_without_text_shows_the_reasons_meaning),
		cmocka_unit_test(continuation_lines_are_indented_and_escaped),
		cmocka_unit_test(long_texts_are_cut_unless_verbose),
		cmocka_unit_test(many_parts_and_notes_are_counted),
		cmocka_unit_test(texts_are_broken_at_spaces_and_paths_never),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
