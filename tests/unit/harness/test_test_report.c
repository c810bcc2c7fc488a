// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/test_report.h"

#include "harness/limits.h"
#include "report_lines.h"

static const char whole[] = BEGIN STAGE("work") PART("check", "late") NOTE("a b") END("1");

static void assert_whole(const struct harness_test_report *r)
{
	assert_true(r->begun);
	assert_true(r->ended);
	assert_string_equal(r->test, "fair");
	assert_int_equal(r->stage, WIRE_STAGE_WORK);
	assert_int_equal(r->parts.n, 1);
	assert_string_equal(r->parts.at[0].text, "late");
	assert_int_equal(r->notes.n, 1);
	assert_string_equal(r->notes.at[0], "a b");
}

static void a_report_may_be_cut_anywhere(void **state UNUSED)
{
	size_t n = strlen(whole);

	for (size_t cut = 0; cut <= n; cut++) {
		_cleanup_harness_test_report_ struct harness_test_report r = { 0 };

		assert_success(harness_test_report_take(&r, whole, cut));
		assert_success(harness_test_report_take(&r, whole + cut, n - cut));
		assert_success(harness_test_report_finish(&r));
		assert_whole(&r);
	}
}

static void a_report_may_come_byte_by_byte(void **state UNUSED)
{
	_cleanup_harness_test_report_ struct harness_test_report r = { 0 };

	for (size_t i = 0; i < strlen(whole); i++)
		assert_success(harness_test_report_take(&r, whole + i, 1));
	assert_success(harness_test_report_finish(&r));
	assert_whole(&r);
}

static void an_incomplete_last_line_is_an_error(void **state UNUSED)
{
	_cleanup_harness_test_report_ struct harness_test_report r = { 0 };
	_cleanup_error_ struct error *err = NULL;

	assert_success(take_text(&r, BEGIN NOTE("kept") "{\"report\":"));
	err = harness_test_report_finish(&r);
	assert_string_equal(error_tag(err), "parse");
	assert_contains(error_message(err), "ends inside its line 3");
	assert_int_equal(r.notes.n, 1);
}

static void a_report_without_an_end_line_is_not_an_error(void **state UNUSED)
{
	_cleanup_harness_test_report_ struct harness_test_report r = { 0 };

	assert_success(take_text(&r, BEGIN STAGE("setup")));
	assert_success(harness_test_report_finish(&r));
	assert_true(r.begun);
	assert_false(r.ended);
}

static void empty_report_is_accepted(void **state UNUSED)
{
	_cleanup_harness_test_report_ struct harness_test_report r = { 0 };

	assert_success(harness_test_report_take(&r, "", 0));
	assert_success(harness_test_report_finish(&r));
	assert_false(r.begun);
	assert_false(r.has_stage);
}

static void an_error_names_the_line_and_keeps_what_came_before(void **state UNUSED)
{
	_cleanup_harness_test_report_ struct harness_test_report r = { 0 };
	_cleanup_error_ struct error *err = take_text(&r, BEGIN PART("check", "one") "what?\n");

	assert_string_equal(error_tag(err), "parse");
	assert_contains(error_message(err), "line 3 of the report");
	assert_int_equal(r.parts.n, 1);
	assert_false(r.ended);
}

static void an_empty_report_line_is_refused(void **state UNUSED)
{
	assert_refused(BEGIN, "\n", "parse", "line 2");
}

/* Lines of exactly as many bytes as asked for, newline included. */
static void append_note(struct strbuf *s, size_t bytes)
{
	static const char head[] = "{\"report\":\"note\",\"text\":\"", tail[] = "\"}\n";

	strbuf_append(s, head);
	strbuf_append_repeated(s, 'x', bytes - strlen(head) - strlen(tail));
	strbuf_append(s, tail);
}

static void the_longest_line_is_taken_and_a_longer_one_is_not(void **state UNUSED)
{
	for (size_t piece = 1000; piece <= 1 << 20; piece <<= 10) {
		for (int more = 0; more <= 1; more++) {
			_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
			_cleanup_harness_test_report_ struct harness_test_report r = { 0 };
			_cleanup_error_ struct error *err = NULL;

			strbuf_append(&s, BEGIN);
			append_note(&s, (size_t)WIRE_REPORT_LINE_BYTES + (size_t)more);
			for (size_t at = 0; !err && at < s.n; at += piece)
				err = harness_test_report_take(&r, s.at + at,
							       s.n - at < piece ? s.n - at : piece);
			if (more)
				assert_string_equal(error_tag(err), "limit");
			else
				assert_null(err);
			assert_int_equal(r.notes.n, !more);
		}
	}
}

static void a_line_without_an_end_does_not_fill_the_memory(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	_cleanup_harness_test_report_ struct harness_test_report r = { 0 };

	strbuf_append_repeated(&s, ' ', WIRE_REPORT_LINE_BYTES);
	assert_success(harness_test_report_take(&r, s.at, s.n - 1));
	assert_error_tag(harness_test_report_take(&r, s.at, 1), "limit");
	assert_true(r.partial_.n < WIRE_REPORT_LINE_BYTES);
}

static void all_lines_together_have_a_limit(void **state UNUSED)
{
	_cleanup_harness_test_report_ struct harness_test_report r = { 0 };
	const char *line = NOTE("x");

	assert_success(take_text(&r, BEGIN));
	r.bytes_ = WIRE_REPORT_TOTAL_BYTES - strlen(line);
	assert_success(take_text(&r, line));
	assert_error_tag(take_text(&r, line), "limit");
	assert_int_equal(r.notes.n, 1);
}

static void a_report_can_be_emptied_twice(void **state UNUSED)
{
	struct harness_test_report r = { 0 };

	assert_success(take_text(&r, BEGIN STARTED("p", "4") CGROUP("left", "0")
					     WORKER("left", "5", "finished", "") TEXT("log", "x")
						     SCHEDULER("started", ",\"pid\":9") "half"));
	harness_test_report_deinit(&r);
	assert_false(r.begun);
	harness_test_report_deinit(&r);
}

/* Takes the line until it is refused; returns how often it was taken. */
static size_t fill(const char *format, bool numbered)
{
	_cleanup_harness_test_report_ struct harness_test_report r = { 0 };
	size_t taken = 0;

	assert_success(take_text(&r, BEGIN));
	for (;; taken++) {
		_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;
		const char *mark = numbered ? strchr(format, '#') : NULL;
		_cleanup_error_ struct error *err = NULL;

		if (mark)
			strbuf_appendf(&line, "%.*s%zu%s", (int)(mark - format), format, taken,
				       mark + 1);
		else
			strbuf_append(&line, format);
		err = take_text(&r, strbuf_str(&line));
		if (err) {
			assert_string_equal(error_tag(err), "limit");
			return taken;
		}
		assert_true(taken < 100000);
	}
}

static void every_list_of_a_report_has_a_limit(void **state UNUSED)
{
	assert_int_equal(fill(NOTE("x"), false), HARNESS_LIMIT_REPORT_NOTES);
	assert_int_equal(fill(PART("check", "x"), false), HARNESS_LIMIT_REPORT_PARTS);
	assert_int_equal(fill(STARTED("p", "1"), false), HARNESS_LIMIT_REPORT_PAYLOADS);
	assert_int_equal(fill(WORKER("l", "1", "finished", ""), false),
			 HARNESS_LIMIT_REPORT_WORKERS);
	assert_int_equal(fill(CGROUP("c#", "0"), true), HARNESS_LIMIT_REPORT_CGROUPS);
	assert_int_equal(fill(TEXT("t#", "x"), true), HARNESS_LIMIT_REPORT_TEXTS);
}

static void a_text_has_a_limit(void **state UNUSED)
{
	_cleanup_harness_test_report_ struct harness_test_report r = { 0 };

	assert_success(take_text(&r, BEGIN TEXT("log", "x")));
	/* As if that much had come. */
	strbuf_append_repeated(&r.texts.at[0].text, 'y', HARNESS_LIMIT_REPORT_TEXT_BYTES - 3);
	assert_success(take_text(&r, TEXT("log", "ab")));
	assert_error_tag(take_text(&r, TEXT("log", "c")), "limit");
	assert_int_equal(r.texts.at[0].text.n, HARNESS_LIMIT_REPORT_TEXT_BYTES);
}

static void metrics_of_all_payloads_together_have_a_limit(void **state UNUSED)
{
	enum { PER_LINE = 8000 };
	_cleanup_harness_test_report_ struct harness_test_report r = { 0 };
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;

	strbuf_append(&line, "{\"report\":\"payload\",\"name\":\"p\",\"pid\":1,\"exit_code\":0,"
			     "\"timed_out\":false,\"by_cleanup\":false,\"wall_ms\":1,"
			     "\"stdout_bytes\":0,\"stderr_bytes\":0,\"dropped_bytes\":0,"
			     "\"metrics\":[");
	for (int i = 0; i < PER_LINE; i++)
		strbuf_append(&line,
			      i ? ",{\"name\":\"m\",\"value\":1}" : "{\"name\":\"m\",\"value\":1}");
	strbuf_append(&line, "]}\n");
	assert_success(take_text(&r, BEGIN));
	for (int i = 0; i < HARNESS_LIMIT_REPORT_METRICS / PER_LINE; i++) {
		assert_success(take_text(&r, STARTED("p", "1")));
		assert_success(take_text(&r, strbuf_str(&line)));
	}
	assert_success(take_text(&r, STARTED("p", "1")));
	assert_error_tag(take_text(&r, strbuf_str(&line)), "limit");
	assert_success(take_text(&r, PAYLOAD("p", "1", "0")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_report_may_be_cut_anywhere),
		cmocka_unit_test(a_report_may_come_byte_by_byte),
		cmocka_unit_test(an_incomplete_last_line_is_an_error),
		cmocka_unit_test(a_report_without_an_end_line_is_not_an_error),
		cmocka_unit_test(empty_report_is_accepted),
		cmocka_unit_test(an_error_names_the_line_and_keeps_what_came_before),
		cmocka_unit_test(an_empty_report_line_is_refused),
		cmocka_unit_test(the_longest_line_is_taken_and_a_longer_one_is_not),
		cmocka_unit_test(a_line_without_an_end_does_not_fill_the_memory),
		cmocka_unit_test(all_lines_together_have_a_limit),
		cmocka_unit_test(a_report_can_be_emptied_twice),
		cmocka_unit_test(every_list_of_a_report_has_a_limit),
		cmocka_unit_test(a_text_has_a_limit),
		cmocka_unit_test(metrics_of_all_payloads_together_have_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
