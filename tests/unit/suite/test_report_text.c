// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include "suite/report_writer.h"

static void expect(const char *line, const char *expected)
{
	char *text = NULL;
	size_t n = 0;
	FILE *to = open_memstream(&text, &n);

	suite_report_text_print(to, line, strlen(line));
	fclose(to);
	assert_string_equal(text, expected);
	free(text);
}

static void lines_become_readable(void **state UNUSED)
{
	expect("{\"report\":\"part\",\"reason\":\"check\",\"text\":\"a b\",\"file\":\"x.c\","
	       "\"line\":7}\n",
	       "part [check] a b (x.c:7)\n");
	expect("{\"report\":\"part\",\"reason\":\"setup\",\"text\":\"a\"}\n", "part [setup] a\n");
	expect("{\"report\":\"payload\",\"name\":\"p\",\"exit_code\":-9,\"timed_out\":true,"
	       "\"metrics\":[1,2]}\n",
	       "payload name=p exit_code=-9 timed_out=yes metrics=(2)\n");
	expect("no json\n", "no json\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_become_readable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
