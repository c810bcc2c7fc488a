// SPDX-License-Identifier: GPL-2.0-or-later
#include "wire/report.h"

#include <string.h>

#include "unit.h"

static void every_name_is_found_by_its_text(void **state UNUSED)
{
	for (size_t i = 0; i < WIRE_N_REPORT_KINDS; i++) {
		const char *word = wire_report_name((enum wire_report_kind)i);
		enum wire_report_kind found;

		assert_true(wire_report_find(word, strlen(word), &found));
		assert_int_equal(found, i);
	}
	assert_string_equal(wire_stage_name(WIRE_STAGE_SETUP), "setup");
	assert_string_equal(wire_stage_name(WIRE_STAGE_CLEANUP), "cleanup");
}

static void unknown_names_are_not_found(void **state UNUSED)
{
	enum wire_report_kind kind;

	assert_false(wire_report_find("begi", 4, &kind));
	assert_false(wire_report_find("begins", 6, &kind));
	assert_false(wire_report_find("", 0, &kind));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_name_is_found_by_its_text),
		cmocka_unit_test(unknown_names_are_not_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
