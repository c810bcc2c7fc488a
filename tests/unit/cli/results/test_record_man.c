// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/results/record_man.h"

#include "unit.h"

static void members_of_all_tables_are_there(void **state UNUSED)
{
	static const char *const members[] = {
		"*schema* (whole number)",
		"*state* (string)",
		"*rerun.files[].path* (string)",
		"*host.cpufreq\\_governor* (object of strings, may be absent)",
		"*parts[].verdict* (string)",
		"*absent[].why* (string)",
		"*stats.worst\\_gap\\_ms* (whole number, ms, lower is better, may be absent)",
		"*workers[].cpu\\_ns* (whole number)",
		"*measures[].unit* (string)",
		"*metrics[].metrics[].polarity* (string)",
	};
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	record_format_man(&text);
	for (size_t i = 0; i < ARRAY_SIZE(members); i++)
		assert_contains(text.at, members[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_of_all_tables_are_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
