// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/doctor/doctor.h"

#include <unistd.h>

#include "cli/frame/command.h"
#include "json/doc.h"
#include "machine.h"
#include "unit.h"

static void every_check_has_a_name_of_its_own(void **state UNUSED)
{
	assert_true(doctor_n_checks >= 10);
	for (size_t i = 0; i < doctor_n_checks; i++) {
		assert_non_null(doctor_checks[i].run);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(doctor_checks[i].name, doctor_checks[j].name);
	}
}

static void a_later_finding_replaces_text_and_fix(void **state UNUSED)
{
	_cleanup_finding_ struct finding finding = { 0 };

	finding_say(&finding, CHECK_MISSING, "no %s", "this");
	finding_fix(&finding, "get %d", 7);
	assert_string_equal(strbuf_str(&finding.fix), "get 7");
	finding_say(&finding, CHECK_OK, "that");
	assert_int_equal(finding.state, CHECK_OK);
	assert_string_equal(strbuf_str(&finding.text), "that");
	assert_string_equal(strbuf_str(&finding.fix), "");
}

static void the_fix_has_sudo_unless_run_by_root(void **state UNUSED)
{
	_cleanup_finding_ struct finding finding = { 0 };

	finding_fix_as_root(&finding, "modprobe %s", "x");
	assert_string_equal(strbuf_str(&finding.fix),
			    geteuid() == 0 ? "modprobe x" : "sudo modprobe x");
}

static void os_release_is_read_with_and_without_quotes(void **state)
{
	struct machine *m = *state;
	_cleanup_free_ char *none = check_os_release(m->root, "ID");
	_cleanup_free_ char *id = NULL, *name = NULL, *like = NULL, *absent = NULL;

	assert_null(none);
	put(m, "/etc/os-release", "PRETTY_NAME=\"Some System 1\"\n\nVERSION_ID=\"\"\nID=some");
	id = check_os_release(m->root, "ID");
	name = check_os_release(m->root, "PRETTY_NAME");
	like = check_os_release(m->root, "VERSION_ID");
	absent = check_os_release(m->root, "NAME");
	assert_string_equal(id, "some");
	assert_string_equal(name, "Some System 1");
	assert_string_equal(like, "");
	assert_null(absent);
}

static void fine(const char *root UNUSED, struct finding *finding)
{
	finding_say(finding, CHECK_OK, "all there");
}

static void slow(const char *root, struct finding *finding)
{
	finding_say(finding, CHECK_LIMITED, "slow \033[31m as seen from %s", root);
	finding_fix(finding, "make it --quick");
}

static void gone(const char *root UNUSED, struct finding *finding)
{
	finding_say(finding, CHECK_MISSING, "gone");
}

static const struct check checks[] = { { "one", fine }, { "two", slow }, { "three", gone } };

static void lines_have_name_state_text_and_fix(void **state UNUSED)
{
	_cleanup_doctor_report_ struct doctor_report report = { 0 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	doctor_report_make(checks, 3, "/root", &report);
	doctor_report_format(&report, 0, &text);
	assert_string_equal(strbuf_str(&text),
			    "one          ok       all there\n"
			    "two          limited  slow \\x1b[31m as seen from /root\n"
			    "                      fix: make it --quick\n"
			    "three        missing  gone\n");
}

static void narrow_terminals_wrap_the_text_but_not_the_fix(void **state UNUSED)
{
	_cleanup_doctor_report_ struct doctor_report report = { 0 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	doctor_report_make(checks, 2, "/root", &report);
	doctor_report_format(&report, 40, &text);
	assert_contains(strbuf_str(&text),
			"slow \\x1b[31m as\n                      seen from /root\n");
	assert_contains(strbuf_str(&text), "fix: make it --quick\n");
}

static void only_what_is_missing_makes_it_fail(void **state UNUSED)
{
	_cleanup_doctor_report_ struct doctor_report two = { 0 }, three = { 0 };

	doctor_report_make(checks, 2, "", &two);
	doctor_report_make(checks, 3, "", &three);
	assert_int_equal(doctor_report_exit_code(&two), CLI_EXIT_OK);
	assert_int_equal(doctor_report_exit_code(&three), CLI_EXIT_FAILED);
}

static void json_says_the_same(void **state UNUSED)
{
	_cleanup_doctor_report_ struct doctor_report report = { 0 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	const struct json_value *list;
	struct json_iter it;
	bool complete = true;

	doctor_report_make(checks, 3, "/root", &report);
	doctor_report_format_json(&report, &text);
	assert_success(json_doc_parse(text.at, text.n, "report", &doc));
	assert_true(json_get_bool(json_find(json_doc_root(doc), "complete"), &complete));
	assert_false(complete);
	list = json_find(json_doc_root(doc), "checks");
	assert_int_equal(json_length(list), 3);
	it = json_iter_over(list);
	assert_true(json_iter_next(&it));
	assert_null(json_find(it.value, "fix"));
	assert_true(json_iter_next(&it));
	assert_true(json_text_is(json_string(json_find(it.value, "name")), "two"));
	assert_true(json_text_is(json_string(json_find(it.value, "state")), "limited"));
	assert_true(json_text_is(json_string(json_find(it.value, "fix")), "make it --quick"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_check_has_a_name_of_its_own),
		cmocka_unit_test(a_later_finding_replaces_text_and_fix),
		cmocka_unit_test(the_fix_has_sudo_unless_run_by_root),
		IN_MACHINE(os_release_is_read_with_and_without_quotes),
		cmocka_unit_test(lines_have_name_state_text_and_fix),
		cmocka_unit_test(narrow_terminals_wrap_the_text_but_not_the_fix),
		cmocka_unit_test(only_what_is_missing_makes_it_fail),
		cmocka_unit_test(json_says_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
