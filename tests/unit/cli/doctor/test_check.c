// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/doctor/doctor.h"

#include <unistd.h>

#include "machine.h"

static void every_check_has_a_name_of_its_own(void **state UNUSED)
{
	assert_true(doctor_n_checks >= 10);
	for (size_t i = 0; i < doctor_n_checks; i++) {
		assert_non_null(doctor_checks[i].run);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(doctor_checks[i].name, doctor_checks[j].name);
	}
}

static void what_is_said_last_counts(void **state UNUSED)
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

static void only_others_than_root_need_sudo(void **state UNUSED)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_check_has_a_name_of_its_own),
		cmocka_unit_test(what_is_said_last_counts),
		cmocka_unit_test(only_others_than_root_need_sudo),
		IN_MACHINE(os_release_is_read_with_and_without_quotes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
