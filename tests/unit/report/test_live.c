// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/form.h"

#include "base/clock.h"
#include "text/terminal.h"
#include "unit.h"

static void deinit(struct report_live *live)
{
	report_live_deinit(live);
}
#define _cleanup_live_ __attribute__((cleanup(deinit)))

#define assert_line(live, columns, expected)                              \
	do {                                                              \
		_cleanup_strbuf_ struct strbuf line_ = STRBUF_INIT;       \
		report_live_format(live, 3, 12, columns, &line_);         \
		assert_string_equal(strbuf_str(&line_), expected);        \
		assert_true(text_width(strbuf_str(&line_)) <= (columns)); \
	} while (0)

static void running_tests_are_shown_oldest_first(void **state UNUSED)
{
	_cleanup_live_ struct report_live live = { 0 };

	assert_line(&live, 80, "[3/12]");
	report_live_start(&live, 7, "fair:one", NS_PER_SEC);
	report_live_start(&live, 4, "fair:two", 2 * NS_PER_SEC);
	report_live_set_stage(&live, 7, "work");
	assert_true(report_live_is_due(&live, 66 * NS_PER_SEC));
	assert_line(&live, 80, "[3/12] fair:one work 1 min 05 s | fair:two 1 min 04 s");
	report_live_stop(&live, 7);
	assert_line(&live, 80, "[3/12] fair:two 1 min 04 s");
	report_live_stop(&live, 7);
	report_live_set_stage(&live, 7, "boot");
	report_live_stop(&live, 4);
	assert_line(&live, 80, "[3/12]");
}

static void a_long_wait_for_a_guest_is_shown(void **state UNUSED)
{
	_cleanup_live_ struct report_live live = { 0 };

	report_live_is_due(&live, 10 * NS_PER_SEC);
	assert_line(&live, 80, "[3/12]");
	report_live_is_due(&live, 15 * NS_PER_SEC);
	assert_line(&live, 80,
		    "[3/12] waiting for a guest 5 s (the first one boots, the next are copies)");
	assert_line(&live, 40, "[3/12] waiting for a guest 5 s (the fir…");
	report_live_start(&live, 7, "fair:one", 16 * NS_PER_SEC);
	assert_line(&live, 80, "[3/12] fair:one 0 s");
	report_live_stop(&live, 7);
	assert_line(&live, 80, "[3/12]");
	report_live_is_due(&live, 18 * NS_PER_SEC);
	assert_line(&live, 30, "[3/12] waiting for a guest 2 …");
}

static void no_wait_is_shown_when_all_tests_are_done(void **state UNUSED)
{
	_cleanup_live_ struct report_live live = { 0 };
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;

	report_live_is_due(&live, 10 * NS_PER_SEC);
	report_live_is_due(&live, 20 * NS_PER_SEC);
	report_live_format(&live, 12, 12, 80, &line);
	assert_string_equal(strbuf_str(&line), "[12/12]");
}

static void a_narrow_line_shortens_names_before_it_drops_tests(void **state UNUSED)
{
	_cleanup_live_ struct report_live live = { 0 };

	report_live_start(&live, 0, "fair:a_name_of_some_length", 0);
	report_live_start(&live, 1, "fair:b_name_of_some_length", 0);
	report_live_start(&live, 2, "short", 0);
	for (size_t i = 0; i < 3; i++)
		report_live_set_stage(&live, i, "boot");
	assert_line(
		&live, 100,
		"[3/12] fair:a_name_of_some_length boot 0 s | fair:b_name_of_some_length boot 0 s | "
		"short boot 0 s");
	assert_line(&live, 90,
		    "[3/12] fair:a_name_of_some_l… boot 0 s | fair:b_name_of_some_l… boot 0 s | "
		    "short boot 0 s");
	assert_line(&live, 65, "[3/12] fair:a_name_of_… boot 0 s | fair:b_name_of_… boot 0 s | +1");
	assert_line(&live, 64, "[3/12] fair:a_name_of_some_length boot 0 s | +2");
	assert_line(&live, 40, "[3/12] fair:a_name_of_som… boot 0 s | +2");
	assert_line(&live, 10, "[3/12] … …");
	assert_line(&live, 1, "…");
	assert_line(&live, 0, "");
}

static void wide_names_are_measured_in_columns(void **state UNUSED)
{
	_cleanup_live_ struct report_live live = { 0 };

	report_live_start(&live, 0, "名前名前名前名前名前名前", 0);
	assert_line(&live, 40, "[3/12] 名前名前名前名前名前名前 0 s");
	assert_line(&live, 34, "[3/12] 名前名前名前名前名前名… 0 s");
}

static void control_characters_in_names_are_escaped(void **state UNUSED)
{
	_cleanup_live_ struct report_live live = { 0 };

	report_live_start(&live, 0, "\r\033[2Jx", 0);
	report_live_set_stage(&live, 0, "a\nb");
	assert_line(&live, 80, "[3/12] \\r\\x1b[2Jx a\\nb 0 s");
}

static void the_line_is_drawn_once_and_cleared_from_its_start(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	_cleanup_live_ struct report_live live = { 0 };

	report_live_clear(&live, &out);
	assert_string_equal(strbuf_str(&out), "");
	report_live_draw(&live, "one", &out);
	report_live_draw(&live, "one", &out);
	assert_string_equal(strbuf_str(&out), "one\r");
	strbuf_clear(&out);
	report_live_draw(&live, "two", &out);
	assert_string_equal(strbuf_str(&out), "\r\033[Jtwo\r");
	strbuf_clear(&out);
	report_live_clear(&live, &out);
	report_live_clear(&live, &out);
	assert_string_equal(strbuf_str(&out), "\r\033[J");
}

static void the_live_line_is_redrawn_after_100_ms(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	_cleanup_live_ struct report_live live = { 0 };

	assert_true(report_live_is_due(&live, 1000 * NS_PER_MS));
	report_live_draw(&live, "one", &out);
	assert_false(report_live_is_due(&live, 1099 * NS_PER_MS));
	assert_true(report_live_is_due(&live, 1100 * NS_PER_MS));
	/* A clock that went back changes nothing. */
	assert_true(report_live_is_due(&live, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(running_tests_are_shown_oldest_first),
		cmocka_unit_test(a_long_wait_for_a_guest_is_shown),
		cmocka_unit_test(no_wait_is_shown_when_all_tests_are_done),
		cmocka_unit_test(a_narrow_line_shortens_names_before_it_drops_tests),
		cmocka_unit_test(wide_names_are_measured_in_columns),
		cmocka_unit_test(control_characters_in_names_are_escaped),
		cmocka_unit_test(the_line_is_drawn_once_and_cleared_from_its_start),
		cmocka_unit_test(the_live_line_is_redrawn_after_100_ms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
