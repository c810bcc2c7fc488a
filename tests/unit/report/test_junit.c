// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include "base/alloc.h"
#include "report/form.h"
#include "stage.h"

static void nothing_is_written_before_the_end(void **state UNUSED)
{
	_cleanup_stage_ struct stage s = stage_for(REPORT_JUNIT, 1);

	stage_finish(&s, 0, made_outcome("fair", "a"));
	assert_string_equal(stage_text(&s), "");
	stage_end(&s);
	assert_contains(stage_text(&s), "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites ");
}

static void an_empty_run_is_a_document_too(void **state UNUSED)
{
	_cleanup_stage_ struct stage s = stage_for(REPORT_JUNIT, 0);

	stage_end(&s);
	assert_string_equal(stage_text(&s),
			    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
			    "<testsuites name=\"ktstr\" tests=\"0\" failures=\"0\" errors=\"0\" "
			    "skipped=\"0\" time=\"34.000\">\n"
			    "</testsuites>\n");
}

static void each_suite_counts_its_own(void **state UNUSED)
{
	_cleanup_stage_ struct stage s = stage_with(
		REPORT_JUNIT, (struct report_options){ 0 },
		(struct report_plan){ 6, "6.1", 1, "/r", 86400, 0, NULL });

	stage_finish(&s, 0, made_outcome("one", "a"));
	stage_finish(&s, 1, made_failure("two", "a", KTSTR_REASON_CHECK, "41 %"));
	stage_finish(&s, 2, made_failure("one", "b", KTSTR_REASON_NEED, "no SMT"));
	stage_finish(&s, 3, made_failure("one", "c", KTSTR_REASON_BOOT, "no word"));
	stage_finish(&s, 4, made_failure("one", "d", KTSTR_REASON_HOST_BUSY, "310 ms"));
	stage_end(&s);
	assert_contains(stage_text(&s),
			"<testsuites name=\"ktstr\" tests=\"5\" failures=\"1\" errors=\"2\" "
			"skipped=\"1\" time=\"34.000\" timestamp=\"1970-01-02T00:00:00Z\">\n");
	assert_contains(stage_text(&s),
			"<testsuite name=\"one\" tests=\"4\" failures=\"0\" errors=\"2\" "
			"skipped=\"1\" time=\"21.248\" timestamp=\"1970-01-02T00:00:00Z\">\n");
	assert_contains(stage_text(&s), "<testsuite name=\"two\" tests=\"1\" failures=\"1\" "
					"errors=\"0\" skipped=\"0\" time=\"5.312\"");
	assert_contains(stage_text(&s), "<property name=\"kernels\" value=\"6.1\"/>");
	assert_contains(stage_text(&s), "<property name=\"records\" value=\"/r\"/>");
}

static void verdicts_become_the_elements_readers_know(void **state UNUSED)
{
	static const struct {
		enum ktstr_reason reason;
		const char *xml;
	} rows[] = {
		{ KTSTR_REASON_CHECK,
		  "<failure type=\"check\" message=\"w&lt;\">check: w&lt;\n</failure>" },
		{ KTSTR_REASON_NEED, "<skipped type=\"need\" message=\"w&lt;\"/>" },
		{ KTSTR_REASON_BOOT,
		  "<error type=\"boot\" message=\"w&lt;\">boot: w&lt;\n</error>" },
		{ KTSTR_REASON_HOST_BUSY,
		  "<error type=\"host-busy\" message=\"w&lt;\">host-busy: w&lt;\n</error>" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_stage_ struct stage s = stage_for(REPORT_JUNIT, 1);

		stage_finish(&s, 0, made_failure("f", "a", rows[i].reason, "w<"));
		stage_end(&s);
		assert_contains(stage_text(&s), rows[i].xml);
	}
}

static void a_case_carries_its_name_its_places_and_its_notes(void **state UNUSED)
{
	_cleanup_stage_ struct stage s = stage_for(REPORT_JUNIT, 1);
	_cleanup_result_outcome_ struct result_outcome o = made_outcome("f", "a\"\n@1n");

	result_outcome_add_part(&o, KTSTR_REASON_CHECK, "<fair>.c", 31, "41 %");
	result_outcome_settle(&o);
	result_outcome_add_note(&o, "n & m");
	o.record_path = xstrdup("/r/a");
	o.kept_dir = xstrdup("/r/k");
	o.rerun = xstrdup("ktstr rerun /r/a");
	report_run_finished(s.r, 0, &o);
	stage_end(&s);
	assert_contains(
		stage_text(&s),
		"    <testcase classname=\"f\" name=\"a&quot;\\n@1n\" time=\"5.312\">\n"
		"      <properties>\n"
		"        <property name=\"name\" value=\"f:a&quot;\\n@1n\"/>\n"
		"        <property name=\"id\" value=\"0123456789abcdef\"/>\n"
		"        <property name=\"verdict\" value=\"fail\"/>\n"
		"        <property name=\"reason\" value=\"check\"/>\n"
		"        <property name=\"topology\" value=\"1n2l2c1t\"/>\n"
		"        <property name=\"kernel\" value=\"6.1\"/>\n"
		"        <property name=\"source\" value=\"fair.c:12\"/>\n"
		"        <property name=\"record\" value=\"/r/a\"/>\n"
		"        <property name=\"kept\" value=\"/r/k\"/>\n"
		"        <property name=\"again\" value=\"ktstr rerun /r/a\"/>\n"
		"      </properties>\n"
		"      <failure type=\"check\" message=\"41 %\">&lt;fair&gt;.c:31: check: 41 %\n"
		"</failure>\n"
		"      <system-out>n &amp; m\n</system-out>\n"
		"    </testcase>\n");
}

static void a_name_that_lacks_its_suite_prefix_is_kept_whole(void **state UNUSED)
{
	_cleanup_stage_ struct stage s = stage_for(REPORT_JUNIT, 1);
	_cleanup_result_outcome_ struct result_outcome o = made_outcome("f", "a");

	free(o.suite);
	o.suite = xstrdup("other");
	report_run_finished(s.r, 0, &o);
	stage_end(&s);
	assert_contains(stage_text(&s), "<testcase classname=\"other\" name=\"f:a\"");
}

#define REPLACED "\xef\xbf\xbd"

static void what_xml_cannot_hold_is_replaced(void **state UNUSED)
{
	static const struct {
		const char *text, *xml;
	} rows[] = {
		{ "", "" },
		{ "plain 名前", "plain 名前" },
		{ "<a b=\"c\">&'", "&lt;a b=&quot;c&quot;&gt;&amp;'" },
		{ "]]>", "]]&gt;" },
		{ "a\tb\nc\rd", "a&#9;b&#10;c&#13;d" },
		{ "\x01\x1b\x1f", REPLACED REPLACED REPLACED },
		{ "\x7f\xc2\x9b", "&#127;&#155;" },
		{ "\xff", REPLACED },
		{ "\xed\xa0\x80", REPLACED REPLACED REPLACED }, /* a surrogate */
		{ "\xef\xbf\xbe\xef\xbf\xbf", REPLACED REPLACED },
		{ "\xf0\x9f\x90\xa7", "\xf0\x9f\x90\xa7" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

		report_append_xml(&s, rows[i].text);
		assert_string_equal(strbuf_str(&s), rows[i].xml);
	}
}

static void quotes_in_an_xml_attribute_are_escaped(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

	report_append_xml_attribute(&s, "name", "\" evil=\"1");
	assert_string_equal(strbuf_str(&s), " name=\"&quot; evil=&quot;1\"");
}

static void a_text_past_the_limit_says_how_much_is_missing(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

	strbuf_append_repeated(&text, 'x', REPORT_LIMIT_TEXT_BYTES);
	report_append_xml(&s, strbuf_str(&text));
	assert_string_equal(strbuf_str(&s), strbuf_str(&text));

	strbuf_clear(&s);
	strbuf_append(&text, "yz");
	report_append_xml(&s, strbuf_str(&text));
	assert_null(strchr(strbuf_str(&s), 'z'));
	assert_contains(strbuf_str(&s), "x (2 bytes more)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_written_before_the_end),
		cmocka_unit_test(an_empty_run_is_a_document_too),
		cmocka_unit_test(each_suite_counts_its_own),
		cmocka_unit_test(verdicts_become_the_elements_readers_know),
		cmocka_unit_test(a_case_carries_its_name_its_places_and_its_notes),
		cmocka_unit_test(a_name_that_lacks_its_suite_prefix_is_kept_whole),
		cmocka_unit_test(what_xml_cannot_hold_is_replaced),
		cmocka_unit_test(quotes_in_an_xml_attribute_are_escaped),
		cmocka_unit_test(a_text_past_the_limit_says_how_much_is_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
