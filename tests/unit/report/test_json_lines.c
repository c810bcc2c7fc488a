// SPDX-License-Identifier: GPL-2.0-or-later
#include "stage.h"

static void a_line_for_the_plan_each_test_and_the_summary(void **state UNUSED)
{
	_cleanup_stage_ struct stage s = stage_with(
		REPORT_JSON, (struct report_options){ 0 },
		(struct report_plan){ 3, "6.1", 2, "/r", 86400, 0, NULL });

	assert_string_equal(
		stage_news(&s),
		"{\"report\":\"plan\",\"tests\":3,\"jobs\":2,\"alone\":0,\"kernels\":\"6.1\","
		"\"records\":\"/r\",\"started_unix_sec\":86400}\n");
	stage_finish(&s, 2, made_outcome("f", "a"));
	assert_string_equal(
		stage_news(&s),
		"{\"report\":\"test\",\"index\":2,\"name\":\"f:a\",\"verdict\":\"pass\","
		"\"reason\":\"none\",\"why\":\"\",\"wall_ns\":5312000000,\"suite\":\"f\","
		"\"test\":\"a\",\"id\":\"0123456789abcdef\",\"topology\":\"1n2l2c1t\","
		"\"kernel\":\"6.1\",\"scheduler\":\"\",\"source\":\"fair.c:12\",\"parts\":[],"
		"\"notes\":[]}\n");
	assert_success(report_run_end(s.r, &(struct report_ending){ 7, true }));
	assert_string_equal(stage_news(&s),
			    "{\"report\":\"summary\",\"tests\":3,\"pass\":1,\"fail\":0,\"skip\":0,"
			    "\"broken\":0,\"inconclusive\":0,\"not_run\":2,\"wall_ns\":7,"
			    "\"interrupted\":true}\n");
}

static void parts_keep_their_verdict_and_place(void **state UNUSED)
{
	_cleanup_stage_ struct stage s = stage_for(REPORT_JSON, 1);
	_cleanup_result_outcome_ struct result_outcome o = made_outcome("f", "a\xff");

	result_outcome_add_part(&o, KTSTR_REASON_BOOT, NULL, 4, "slow");
	result_outcome_add_part(&o, KTSTR_REASON_CHECK, "fair.c", 31, "41 %\n");
	result_outcome_settle(&o);
	result_outcome_add_note(&o, "n");
	o.record_path = xstrdup("/r/a");
	o.kept_dir = xstrdup("/r/k");
	o.rerun = xstrdup("ktstr rerun /r/a");
	report_run_finished(s.r, 0, &o);
	assert_contains(stage_text(&s), "\"name\":\"f:a\xef\xbf\xbd\",\"verdict\":\"fail\","
					"\"reason\":\"check\",\"why\":\"41 %\\n\",");
	assert_contains(stage_text(&s),
			"\"parts\":[{\"verdict\":\"broken\",\"reason\":\"boot\",\"text\":\"slow\"},"
			"{\"verdict\":\"fail\",\"reason\":\"check\",\"text\":\"41 %\\n\","
			"\"file\":\"fair.c\",\"line\":31}],\"notes\":[\"n\"],\"record\":\"/r/a\","
			"\"kept\":\"/r/k\",\"again\":\"ktstr rerun /r/a\"}\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_for_the_plan_each_test_and_the_summary),
		cmocka_unit_test(parts_keep_their_verdict_and_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
