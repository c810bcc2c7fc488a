// SPDX-License-Identifier: GPL-2.0-or-later
#include "stage.h"

#include "report/form.h"

static void every_test_has_a_line_and_the_run_a_summary(void **state UNUSED)
{
	_cleanup_stage_ struct stage s = stage_with(
		REPORT_PRETTY, (struct report_options){ 0 },
		(struct report_plan){ 5, "6.1", 2, "/var/runs/1", 0, 0, NULL });

	report_run_started(s.r, 0, "fair:a", 0);
	report_run_progress(s.r, 0, "boot");
	report_run_tick(s.r, NS_PER_SEC);
	stage_finish(&s, 1, made_failure("fair", "b", KTSTR_REASON_NEED, "no SMT"));
	stage_finish(&s, 0, made_outcome("fair", "a"));
	stage_finish(&s, 2, made_failure("fair", "c", KTSTR_REASON_CHECK, "41 %"));
	stage_finish(&s, 3, made_failure("fair", "d", KTSTR_REASON_BOOT, "no word"));
	stage_finish(&s, 4, made_failure("fair", "e", KTSTR_REASON_HOST_BUSY, "310 ms"));
	stage_end(&s);
	assert_string_equal(
		stage_text(&s),
		"5 tests on Linux 6.1, 2 at a time\n"
		"SKIP    fair:b                      5.3 s\n"
		"        need: no SMT\n"
		"PASS    fair:a                      5.3 s\n"
		"FAIL    fair:c                      5.3 s\n"
		"        check: 41 %\n"
		"        test:   fair.c:12\n"
		"BROKEN  fair:d                      5.3 s\n"
		"        boot: no word\n"
		"        test:   fair.c:12\n"
		"INCONC  fair:e                      5.3 s\n"
		"        host-busy: 310 ms\n"
		"        test:   fair.c:12\n"
		"\n"
		"5 tests: 1 passed, 1 failed, 1 skipped, 1 broken, 1 inconclusive in 34.0 s\n"
		"records: /var/runs/1\n");
}

static void a_failure_shows_its_record_kept_files_and_rerun_command(void **state UNUSED)
{
	_cleanup_stage_ struct stage s = stage_for(REPORT_PRETTY, 1);
	_cleanup_result_outcome_ struct result_outcome o = made_failure("fair", "a",
									KTSTR_REASON_CHECK, "41 %");

	result_outcome_add_note(&o, "slow");
	o.record_path = xstrdup("/r/a.ktstr.json");
	o.kept_dir = xstrdup("/r/a");
	o.rerun = xstrdup("ktstr rerun /r/a.ktstr.json");
	report_run_finished(s.r, 0, &o);
	assert_contains(stage_text(&s), "        check: 41 %\n"
					"        note: slow\n"
					"        test:   fair.c:12\n"
					"        record: /r/a.ktstr.json\n"
					"        kept:   /r/a\n"
					"        again:  ktstr rerun /r/a.ktstr.json\n");
}

static void newlines_in_a_test_name_are_escaped(void **state UNUSED)
{
	_cleanup_stage_ struct stage s = stage_for(REPORT_PRETTY, 1);

	stage_finish(&s, 0, made_failure("x\nPASS    y", "\033[2J", KTSTR_REASON_CHECK, "\rz"));
	assert_contains(stage_text(&s), "FAIL    x\\nPASS    y:\\x1b[2J ");
	assert_contains(stage_text(&s), "check: \\rz\n");
}

static void durations_are_aligned_in_columns(void **state UNUSED)
{
	_cleanup_stage_ struct stage s = stage_for(REPORT_PRETTY, 3);

	report_run_started(s.r, 1, "fair:a_name_that_is_longer_than_most", 0);
	stage_finish(&s, 0, made_outcome("名前", "a"));
	stage_finish(&s, 1, made_outcome("fair", "a_name_that_is_longer_than_most"));
	assert_contains(stage_text(&s), "PASS    名前:a                                  5.3 s\n"
					"PASS    fair:a_name_that_is_longer_than_most    5.3 s\n");
}

static void verbose_shows_notes_and_records_of_every_test(void **state UNUSED)
{
	_cleanup_stage_ struct stage s = stage_with(REPORT_PRETTY,
						    (struct report_options){ .verbose = true },
						    (struct report_plan){ .n_tests = 2 });
	_cleanup_result_outcome_ struct result_outcome o = made_outcome("fair", "a");

	result_outcome_add_note(&o, "quick");
	o.record_path = xstrdup("/r/a.ktstr.json");
	report_run_finished(s.r, 0, &o);
	assert_contains(stage_text(&s), "5.3 s\n        note: quick\n        test:   fair.c:12\n"
					"        record: /r/a.ktstr.json\n");
	stage_finish(&s, 1, made_failure("fair", "b", KTSTR_REASON_AS_EXPECTED, "41 %"));
	assert_contains(stage_text(&s), "5.3 s\n        failed-as-expected: 41 %\n");
}

static void quiet_shows_what_did_not_pass_and_the_summary(void **state UNUSED)
{
	_cleanup_stage_ struct stage s = stage_with(REPORT_PRETTY,
						    (struct report_options){ .quiet = true },
						    (struct report_plan){ .n_tests = 3 });

	stage_finish(&s, 0, made_outcome("fair", "a"));
	stage_finish(&s, 1, made_failure("fair", "b", KTSTR_REASON_NEED, "no SMT"));
	stage_finish(&s, 2, made_failure("fair", "c", KTSTR_REASON_CHECK, "41 %"));
	stage_end(&s);
	assert_string_equal(stage_text(&s), "FAIL    fair:c                      5.3 s\n"
					    "        check: 41 %\n"
					    "        test:   fair.c:12\n"
					    "3 tests: 1 passed, 1 failed, 1 skipped in 34.0 s\n");
}

static void failures_far_from_the_end_are_repeated_in_the_summary(void **state UNUSED)
{
	for (size_t between = REPORT_RECAP_DISTANCE - 1; between <= REPORT_RECAP_DISTANCE;
	     between++) {
		_cleanup_stage_ struct stage s = stage_for(REPORT_PRETTY, between + 1);
		bool again = between == REPORT_RECAP_DISTANCE;

		stage_finish(&s, 0, made_failure("fair", "bad", KTSTR_REASON_CHECK, "41 %"));
		for (size_t i = 0; i < between; i++)
			stage_finish(&s, i + 1, made_outcome("fair", "good"));
		stage_text(&s);
		stage_end(&s);
		assert_int_equal(strstr(stage_news(&s),
					"\nnot passed:\nFAIL    fair:bad  check: 41 %\n\n") != NULL,
				 again);
	}
}

static void an_interrupted_run_says_what_was_not_run(void **state UNUSED)
{
	_cleanup_stage_ struct stage s = stage_for(REPORT_PRETTY, 3);

	stage_finish(&s, 0, made_outcome("fair", "a"));
	assert_success(report_run_end(s.r, &(struct report_ending){ NS_PER_SEC, true }));
	assert_contains(stage_text(&s), "interrupted; 3 tests: 1 passed, 2 not run in 1.0 s\n");
}

static struct stage terminal(size_t columns, bool colour)
{
	return stage_with(
		REPORT_PRETTY,
		(struct report_options){ .terminal = true, .columns = columns, .colour = colour },
		(struct report_plan){ .n_tests = 2 });
}

static void a_terminal_shows_a_live_line_and_erases_it(void **state UNUSED)
{
	_cleanup_stage_ struct stage s = terminal(40, false);

	stage_text(&s);
	report_run_started(s.r, 0, "fair:a_rather_long_name_for_it", NS_PER_SEC);
	report_run_progress(s.r, 0, "boot");
	report_run_tick(s.r, 3 * NS_PER_SEC);
	assert_string_equal(stage_news(&s), "[0/2] fair:a_rather_long_name… boot 2 s\r");
	report_run_tick(s.r, 3 * NS_PER_SEC + 1);
	report_run_tick(s.r, 4 * NS_PER_SEC - 1);
	assert_string_equal(stage_news(&s), "");
	stage_finish(&s, 0, made_outcome("fair", "a"));
	assert_string_equal(stage_news(&s),
			    "\r\033[JPASS    fair:a                            5.3 s\n[1/2]\r");
	stage_finish(&s, 1, made_outcome("fair", "b"));
	assert_string_equal(stage_news(&s),
			    "\r\033[JPASS    fair:b                            5.3 s\n");
	stage_end(&s);
	assert_string_equal(stage_news(&s), "\n2 tests: 2 passed in 34.0 s\n");
}

static void an_interrupted_run_erases_the_live_line(void **state UNUSED)
{
	_cleanup_stage_ struct stage s = terminal(80, false);

	report_run_started(s.r, 0, "fair:a", 0);
	report_run_tick(s.r, 0);
	stage_text(&s);
	assert_success(report_run_end(s.r, &(struct report_ending){ .interrupted = true }));
	assert_memory_equal(stage_news(&s), "\r\033[J\n", 5);
}

static void a_repeated_failure_keeps_its_name_on_a_narrow_terminal(void **state UNUSED)
{
	static const struct {
		size_t columns;
		const char *line;
	} rows[] = {
		{ 35, "\nFAIL    fair:bad  check: 41 % of it\n" },
		{ 34, "\nFAIL    fair:bad  check: 41 % of …\n" },
		{ 31, "\nFAIL    fair:bad  check: 41 % …\n" },
		{ 30, "\nFAIL    fair:bad  check\n" },
		{ 10, "\nFAIL    fair:bad  check\n" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_stage_ struct stage s = stage_with(
			REPORT_PRETTY,
			(struct report_options){ .terminal = true, .columns = rows[i].columns },
			(struct report_plan){ .n_tests = REPORT_RECAP_DISTANCE + 1 });

		stage_finish(&s, 0, made_failure("fair", "bad", KTSTR_REASON_CHECK, "41 % of it"));
		for (size_t t = 1; t <= REPORT_RECAP_DISTANCE; t++)
			stage_finish(&s, t, made_outcome("fair", "good"));
		stage_text(&s);
		stage_end(&s);
		assert_contains(stage_news(&s), rows[i].line);
	}
}

static void freeing_the_reporter_erases_the_live_line(void **state UNUSED)
{
	_cleanup_stage_ struct stage s = terminal(80, false);

	report_run_started(s.r, 0, "fair:a", 0);
	report_run_tick(s.r, 0);
	stage_text(&s);
	report_run_free(take_ptr(s.r));
	assert_string_equal(stage_news(&s), "\r\033[J");
}

static void only_the_verdict_and_reason_are_coloured(void **state UNUSED)
{
	_cleanup_stage_ struct stage s = terminal(80, true);

	stage_finish(&s, 0, made_failure("fair", "a", KTSTR_REASON_CHECK, "41 %"));
	assert_contains(stage_text(&s), "\033[1;31mFAIL\033[0m    fair:a ");
	assert_contains(stage_text(&s), "        \033[1mcheck:\033[0m 41 %\n");
}

static void output_without_a_terminal_has_no_control_characters(void **state UNUSED)
{
	_cleanup_stage_ struct stage s = stage_for(REPORT_PRETTY, 1);

	report_run_started(s.r, 0, "fair:a", 0);
	report_run_tick(s.r, NS_PER_SEC);
	stage_finish(&s, 0, made_failure("fair", "a", KTSTR_REASON_CHECK, "41 %"));
	stage_end(&s);
	assert_null(strpbrk(stage_text(&s), "\r\033"));
}

static void the_number_of_tests_that_run_alone_is_printed(void **state UNUSED)
{
	static const struct {
		unsigned int jobs;
		size_t alone;
		const char *words;
	} rows[] = {
		{ 2, 0, "5 tests on Linux 6.1, 2 at a time\n" },
		{ 2, 3, "5 tests on Linux 6.1, 2 at a time; 3 that compare times run alone\n" },
		{ 2, 1, "5 tests on Linux 6.1, 2 at a time; 1 that compares times runs alone\n" },
		{ 1, 3, "5 tests on Linux 6.1\n" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_stage_ struct stage s = stage_with(
			REPORT_PRETTY, (struct report_options){ 0 },
			(struct report_plan){ .n_tests = 5,
					      .kernels = "6.1",
					      .jobs = rows[i].jobs,
					      .n_alone = rows[i].alone });

		assert_string_equal(stage_news(&s), rows[i].words);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_test_has_a_line_and_the_run_a_summary),
		cmocka_unit_test(a_failure_shows_its_record_kept_files_and_rerun_command),
		cmocka_unit_test(newlines_in_a_test_name_are_escaped),
		cmocka_unit_test(durations_are_aligned_in_columns),
		cmocka_unit_test(verbose_shows_notes_and_records_of_every_test),
		cmocka_unit_test(quiet_shows_what_did_not_pass_and_the_summary),
		cmocka_unit_test(failures_far_from_the_end_are_repeated_in_the_summary),
		cmocka_unit_test(an_interrupted_run_says_what_was_not_run),
		cmocka_unit_test(a_terminal_shows_a_live_line_and_erases_it),
		cmocka_unit_test(an_interrupted_run_erases_the_live_line),
		cmocka_unit_test(freeing_the_reporter_erases_the_live_line),
		cmocka_unit_test(a_repeated_failure_keeps_its_name_on_a_narrow_terminal),
		cmocka_unit_test(only_the_verdict_and_reason_are_coloured),
		cmocka_unit_test(output_without_a_terminal_has_no_control_characters),
		cmocka_unit_test(the_number_of_tests_that_run_alone_is_printed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
