// SPDX-License-Identifier: GPL-2.0-or-later
#include "stage.h"

#include <strings.h>

#include "report/form.h"

static void ktap_results_are_numbered_in_order_of_arrival(void **state UNUSED)
{
	_cleanup_stage_ struct stage s = stage_for(REPORT_KTAP, 3);

	stage_finish(&s, 2, made_outcome("fair", "c"));
	stage_finish(&s, 0, made_outcome("fair", "a"));
	stage_finish(&s, 1, made_outcome("fair", "b"));
	stage_end(&s);
	assert_string_equal(stage_text(&s), "KTAP version 1\n1..3\n"
					    "ok 1 fair:c\nok 2 fair:a\nok 3 fair:b\n");
}

static void ktap_directives_match_the_documentation(void **state UNUSED)
{
	static const struct {
		enum ktstr_reason reason;
		const char *line;
	} rows[] = {
		{ KTSTR_REASON_NONE, "ok 1 f:a\n" },
		{ KTSTR_REASON_AS_EXPECTED, "ok 1 f:a # failed-as-expected: why\n" },
		{ KTSTR_REASON_CHECK, "not ok 1 f:a # check: why\n" },
		{ KTSTR_REASON_TIMEOUT, "not ok 1 f:a # TIMEOUT timeout: why\n" },
		{ KTSTR_REASON_GUEST_HANG, "not ok 1 f:a # guest-hang: why\n" },
		{ KTSTR_REASON_NEED, "ok 1 f:a # SKIP need: why\n" },
		{ KTSTR_REASON_BOOT, "not ok 1 f:a # ERROR boot: why\n" },
		{ KTSTR_REASON_HOST_BUSY, "not ok 1 f:a # ERROR host-busy: why\n" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_stage_ struct stage s = stage_for(REPORT_KTAP, 1);
		_cleanup_free_ char *line = xasprintf("\n%s", rows[i].line);

		stage_finish(&s, 0, made_failure("f", "a", rows[i].reason, "why"));
		assert_contains(stage_text(&s), line);
	}
}

static void no_reason_name_begins_like_a_ktap_directive(void **state UNUSED)
{
	static const char *const directives[] = { "SKIP", "TODO", "XFAIL", "ERROR" };

	for (int r = 0; r < KTSTR_N_REASONS; r++) {
		const char *word = result_reason_name((enum ktstr_reason)r);

		for (size_t i = 0; i < ARRAY_SIZE(directives); i++)
			assert_int_not_equal(
				strncasecmp(word, directives[i], strlen(directives[i])), 0);
	}
}

static void a_text_cannot_make_a_directive_or_a_line(void **state UNUSED)
{
	_cleanup_stage_ struct stage s = stage_for(REPORT_KTAP, 1);
	_cleanup_result_outcome_ struct result_outcome o = made_failure(
		"f", "a # SKIP\nok 9 b", KTSTR_REASON_CHECK, "x # SKIP y\nok 2 z");

	result_outcome_add_note(&o, "n\nok 3 z");
	report_run_finished(s.r, 0, &o);
	assert_string_equal(stage_text(&s),
			    "KTAP version 1\n1..1\n"
			    "# note: n\\nok 3 z\n"
			    "# test: fair.c:12\n"
			    "# verdict: fail\n"
			    "not ok 1 f:a \\x23 SKIP\\nok 9 b # check: x \\# SKIP y\\nok 2 z\n");
}

static void diagnostics_come_before_their_result(void **state UNUSED)
{
	_cleanup_stage_ struct stage s = stage_with(
		REPORT_KTAP, (struct report_options){ 0 },
		(struct report_plan){ 1, "6.1", 1, "/r", 0, 0, NULL });
	_cleanup_result_outcome_ struct result_outcome o = made_outcome("f", "a");

	result_outcome_add_part(&o, KTSTR_REASON_CHECK, "fair.c", 31, "41 %");
	result_outcome_add_part(&o, KTSTR_REASON_BOOT, NULL, 0, "slow");
	result_outcome_settle(&o);
	o.record_path = xstrdup("/r/a");
	o.kept_dir = xstrdup("/r/k");
	o.rerun = xstrdup("ktstr rerun /r/a");
	report_run_finished(s.r, 0, &o);
	assert_string_equal(stage_text(&s), "KTAP version 1\n1..1\n"
					    "# kernels: 6.1\n"
					    "# records: /r\n"
					    "# check: 41 % (fair.c:31)\n"
					    "# boot: slow\n"
					    "# record: /r/a\n"
					    "# test: fair.c:12\n"
					    "# kept: /r/k\n"
					    "# again: ktstr rerun /r/a\n"
					    "# verdict: fail\n"
					    "not ok 1 f:a # check: 41 %\n");
}

static void an_interrupted_run_says_how_many_are_missing(void **state UNUSED)
{
	_cleanup_stage_ struct stage s = stage_for(REPORT_KTAP, 3);

	stage_finish(&s, 1, made_outcome("f", "b"));
	assert_success(report_run_end(s.r, &(struct report_ending){ .interrupted = true }));
	assert_string_equal(stage_text(&s), "KTAP version 1\n1..3\nok 1 f:b\n"
					    "# interrupted\n# 2 of 3 tests have no result\n");
}

static void a_text_past_the_limit_says_how_much_is_missing(void **state UNUSED)
{
	_cleanup_stage_ struct stage s = stage_for(REPORT_KTAP, 1);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	strbuf_append_repeated(&text, 'x', REPORT_LIMIT_TEXT_BYTES + 5);
	stage_finish(&s, 0, made_failure("f", "a", KTSTR_REASON_CHECK, strbuf_str(&text)));
	assert_contains(stage_text(&s), "x (5 bytes more)\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ktap_results_are_numbered_in_order_of_arrival),
		cmocka_unit_test(ktap_directives_match_the_documentation),
		cmocka_unit_test(no_reason_name_begins_like_a_ktap_directive),
		cmocka_unit_test(a_text_cannot_make_a_directive_or_a_line),
		cmocka_unit_test(diagnostics_come_before_their_result),
		cmocka_unit_test(an_interrupted_run_says_how_many_are_missing),
		cmocka_unit_test(a_text_past_the_limit_says_how_much_is_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
