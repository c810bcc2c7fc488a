// SPDX-License-Identifier: GPL-2.0-or-later
#include "wire/report.h"

#include <string.h>

#include "unit.h"

static void every_word_is_found_again(void **state UNUSED)
{
	for (size_t i = 0; i < WIRE_N_REPORT_KINDS; i++) {
		const char *word = wire_report_word((enum wire_report_kind)i);
		enum wire_report_kind found;

		assert_true(wire_report_find(word, strlen(word), &found));
		assert_int_equal(found, i);
	}
	assert_string_equal(wire_stage_word(WIRE_STAGE_SETUP), "setup");
	assert_string_equal(wire_stage_word(WIRE_STAGE_CLEANUP), "cleanup");
}

static void other_words_are_not(void **state UNUSED)
{
	enum wire_report_kind kind;

	assert_false(wire_report_find("begi", 4, &kind));
	assert_false(wire_report_find("begins", 6, &kind));
	assert_false(wire_report_find("", 0, &kind));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_word_is_found_again),
		cmocka_unit_test(other_words_are_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
