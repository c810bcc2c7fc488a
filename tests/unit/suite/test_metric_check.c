// SPDX-License-Identifier: GPL-2.0-or-later
#include "suite/metrics.h"

#include <math.h>

#include "suite/metrics_of.h"
#include "unit.h"

struct checks {
	struct ktstr_metric_check at[KTSTR_MAX_CHECKS + 1];
};
#define CHECKS(...) ((struct checks){ .at = { __VA_ARGS__ } })

static void append_line(void *context, enum ktstr_reason reason, const char *text)
{
	strbuf_appendf(context, "%s%s\n",
		       reason == KTSTR_REASON_PAYLOAD ? "" : "not judged: ", text);
}

static struct exchange_hint two_hints[] = {
	{ (char[]){ "rate" }, (char[]){ "1/s" }, KTSTR_HIGHER_IS_BETTER },
	{ (char[]){ "latency" }, (char[]){ "us" }, KTSTR_LOWER_IS_BETTER },
};
/* For assert_judged(). */
static struct suite_metric_meaning meaning = { two_hints, ARRAY_SIZE(two_hints), false };

#define assert_judged(m, expected, ...)                                                   \
	do {                                                                              \
		_cleanup_strbuf_ struct strbuf lines_ = STRBUF_INIT;                      \
		struct checks checks_ = CHECKS(__VA_ARGS__);                              \
		assert_null(suite_metric_checks_mistake(checks_.at));                     \
		suite_metric_checks_judge(checks_.at, m, &meaning, append_line, &lines_); \
		assert_string_equal(strbuf_str(&lines_), expected);                       \
	} while (0)

static void values_equal_to_a_limit_pass(void **state UNUSED)
{
	struct ktstr_metrics m = metrics_of("{\"x\":10}", "");

	assert_judged(&m, "", KTSTR_MIN("x", 10), KTSTR_MAX("x", 10), KTSTR_RANGE("x", 10, 10),
		      KTSTR_EXISTS("x"), KTSTR_EXIT_CODE(0));
	suite_metrics_deinit(&m);
}

static void each_violated_limit_is_reported(void **state UNUSED)
{
	struct ktstr_metrics m = metrics_of("{\"x\":10.50}", "");

	assert_judged(&m,
		      "metric x is 10.50, less than 11\n"
		      "metric x is 10.50, more than 10\n"
		      "metric x is 10.50, not from 11 to 12\n"
		      "metric x is 10.50, not from 1 to 2\n",
		      KTSTR_MIN("x", 11), KTSTR_MAX("x", 10), KTSTR_MIN("x", 10),
		      KTSTR_RANGE("x", 11, 12), KTSTR_RANGE("x", 1, 2));
	suite_metrics_deinit(&m);
}

static void rates_are_judged_with_a_real_clock_only(void **state UNUSED)
{
	struct ktstr_metrics m = metrics_of("{\"io\":{\"rate\":10},\"latency\":5}", "");

	assert_judged(&m, "metric io.rate is 10, less than 11\n", KTSTR_MIN("io.rate", 11));
	meaning.virtual_clock = true;
	assert_judged(
		&m,
		"not judged: metric io.rate is 10: rates are not judged with a virtual clock, "
		"where all CPUs together have one speed whatever the scheduler does\n"
		"metric latency is 5, more than 4\n"
		"metric rate is not among the 2 metrics on stdout\n",
		KTSTR_MIN("io.rate", 11), KTSTR_EXISTS("io.rate"), KTSTR_MAX("latency", 4),
		KTSTR_MIN("rate", 1));
	meaning.virtual_clock = false;
	suite_metrics_deinit(&m);
}

static void a_missing_metric_fails_every_kind(void **state UNUSED)
{
	struct ktstr_metrics m = metrics_of("{\"x\":10}", "");

	assert_judged(&m,
		      "metric y is not among the 1 metrics on stdout\n"
		      "metric y is not among the 1 metrics on stdout\n"
		      "metric y is not among the 1 metrics on stdout\n"
		      "metric y is not among the 1 metrics on stdout\n",
		      KTSTR_MIN("y", 0), KTSTR_MAX("y", 0), KTSTR_RANGE("y", 0, 0),
		      KTSTR_EXISTS("y"));
	suite_metrics_deinit(&m);
}

static void a_missing_document_is_explained(void **state UNUSED)
{
	struct ktstr_metrics m = metrics_of("{\"a\":\"b\"}", "oh dear\n");

	assert_judged(
		&m, "metric y is missing: stdout: the document holds no number; stderr: oh dear\n",
		KTSTR_EXISTS("y"));
	suite_metrics_deinit(&m);

	m = (struct ktstr_metrics){ .exit_known = true };
	assert_judged(&m, "metric y is missing: .output of the program is not KTSTR_OUTPUT_JSON\n",
		      KTSTR_EXISTS("y"));
}

static void a_wrong_exit_code_comes_first_and_alone(void **state UNUSED)
{
	struct ktstr_metrics m = metrics_of("{\"x\":10}", "it broke\n\n");

	m.exit_code = 3;
	assert_judged(&m, "exit code 3, not 0; stderr: it broke\n", KTSTR_MAX("x", 1),
		      KTSTR_EXIT_CODE(0), KTSTR_EXIT_CODE(1));
	assert_judged(&m, "metric x is 10, more than 1\n", KTSTR_MAX("x", 1), KTSTR_EXIT_CODE(3));
	m.exit_code = -9;
	assert_judged(&m, "killed by signal 9 (SIGKILL), not 0; stderr: it broke\n",
		      KTSTR_EXIT_CODE(0));
	assert_judged(&m, "", KTSTR_EXIT_CODE(-9));
	suite_metrics_deinit(&m);
}

static void an_exit_code_that_is_not_demanded_is_not_judged(void **state UNUSED)
{
	struct ktstr_metrics m = metrics_of("{\"x\":10}", "");

	m.exit_code = 1;
	assert_judged(&m, "", KTSTR_EXISTS("x"));
	suite_metrics_deinit(&m);
}

static void an_unknown_exit_code_is_never_right(void **state UNUSED)
{
	struct ktstr_metrics m = { .exit_code = 0, .exit_known = false };

	assert_judged(&m,
		      "unknown exit code (somebody else waited for it), not 0; stderr is empty\n",
		      KTSTR_EXIT_CODE(0));
}

static void the_message_carries_the_end_of_standard_error(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf err = STRBUF_INIT, expected = STRBUF_INIT;
	struct ktstr_metrics m;

	strbuf_append_repeated(&err, 'x', 500);
	strbuf_append_repeated(&err, 'y', 1024);
	m = metrics_of("", strbuf_str(&err));
	m.exit_code = 1;
	strbuf_append(&expected, "exit code 1, not 0; stderr ends with: …");
	strbuf_append_repeated(&expected, 'y', 1024);
	strbuf_append(&expected, "\n");
	assert_judged(&m, strbuf_str(&expected), KTSTR_EXIT_CODE(0));
	suite_metrics_deinit(&m);
}

static void a_nul_in_standard_error_does_not_hide_what_follows(void **state UNUSED)
{
	struct ktstr_metrics m = metrics_of("", "one two");

	m.err.at[3] = '\0';
	m.exit_code = 1;
	assert_judged(&m, "exit code 1, not 0; stderr: one.two\n", KTSTR_EXIT_CODE(0));
	suite_metrics_deinit(&m);
}

static void a_payload_ended_by_cleanup_is_judged_by_metrics_only(void **state UNUSED)
{
	struct ktstr_metrics m = metrics_of("{\"x\":10}", "");

	m.exit_code = -9;
	m.by_cleanup = true;
	assert_judged(&m, "metric x is 10, more than 1\n", KTSTR_EXIT_CODE(0), KTSTR_MAX("x", 1));
	suite_metrics_deinit(&m);
}

static void a_payload_that_timed_out_is_not_judged_further(void **state UNUSED)
{
	struct ktstr_metrics m = metrics_of("{\"x\":10}", "");

	m.exit_code = -9;
	m.timed_out = true;
	assert_judged(&m, "", KTSTR_EXIT_CODE(0), KTSTR_MAX("x", 1));
	suite_metrics_deinit(&m);
}

static void a_limit_of_nan_never_holds(void **state UNUSED)
{
	struct ktstr_metrics m = metrics_of("{\"x\":10}", "");

	assert_judged(&m, "metric x is 10, less than nan\nmetric x is 10, more than nan\n",
		      KTSTR_MIN("x", (double)NAN), KTSTR_MAX("x", (double)NAN));
	suite_metrics_deinit(&m);
}

static void mistakes_in_a_list_are_found(void **state UNUSED)
{
	struct checks full = { 0 };

	assert_contains(suite_metric_checks_mistake(CHECKS(KTSTR_EXISTS(NULL)).at),
			"names no metric");
	assert_contains(suite_metric_checks_mistake(CHECKS(KTSTR_MIN("", 1)).at),
			"names no metric");
	assert_contains(suite_metric_checks_mistake(CHECKS({ .kind = 77, .metric = "x" }).at),
			"unknown kind");
	for (size_t i = 0; i < KTSTR_MAX_CHECKS; i++)
		full.at[i] = (struct ktstr_metric_check)KTSTR_EXIT_CODE(0);
	assert_null(suite_metric_checks_mistake(full.at));
	full.at[KTSTR_MAX_CHECKS] = full.at[0];
	assert_contains(suite_metric_checks_mistake(full.at), "more checks");
}

static void mistakes_in_hints_are_found(void **state UNUSED)
{
	char long_name[300] = { 0 };
	struct ktstr_metric_hint hints[KTSTR_MAX_CHECKS + 1] = {
		{ "latency_us", "us", KTSTR_LOWER_IS_BETTER },
		{ "ratio", NULL, KTSTR_NO_DIRECTION },
	};

	assert_null(suite_metric_hints_mistake(hints));
	hints[1].direction = (enum ktstr_direction)77;
	assert_contains(suite_metric_hints_mistake(hints), "unknown direction");
	hints[1] = (struct ktstr_metric_hint){ .metric = "" };
	assert_contains(suite_metric_hints_mistake(hints), "names no metric");
	memset(long_name, 'x', sizeof(long_name) - 1);
	hints[1] = (struct ktstr_metric_hint){ .metric = "x", .unit = long_name };
	assert_contains(suite_metric_hints_mistake(hints), "256 bytes");
	for (size_t i = 0; i <= KTSTR_MAX_CHECKS; i++)
		hints[i] = (struct ktstr_metric_hint){ .metric = "x" };
	assert_contains(suite_metric_hints_mistake(hints), "more hints");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_equal_to_a_limit_pass),
		cmocka_unit_test(each_violated_limit_is_reported),
		cmocka_unit_test(rates_are_judged_with_a_real_clock_only),
		cmocka_unit_test(a_missing_metric_fails_every_kind),
		cmocka_unit_test(a_missing_document_is_explained),
		cmocka_unit_test(a_wrong_exit_code_comes_first_and_alone),
		cmocka_unit_test(an_exit_code_that_is_not_demanded_is_not_judged),
		cmocka_unit_test(an_unknown_exit_code_is_never_right),
		cmocka_unit_test(the_message_carries_the_end_of_standard_error),
		cmocka_unit_test(a_nul_in_standard_error_does_not_hide_what_follows),
		cmocka_unit_test(a_payload_ended_by_cleanup_is_judged_by_metrics_only),
		cmocka_unit_test(a_payload_that_timed_out_is_not_judged_further),
		cmocka_unit_test(a_limit_of_nan_never_holds),
		cmocka_unit_test(mistakes_in_a_list_are_found),
		cmocka_unit_test(mistakes_in_hints_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
