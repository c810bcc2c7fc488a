// SPDX-License-Identifier: GPL-2.0-or-later
#include "procfs/cgroup_path.h"

#include "unit.h"

static void path_of(const char *text, const char *expected)
{
	struct slice path = { "untouched", 9 };
	bool found = cgroup_path_parse(text, strlen(text), &path);

	assert_int_equal(found, expected != NULL);
	if (!expected)
		expected = "untouched";
	assert_int_equal(path.n, strlen(expected));
	assert_memory_equal(path.at, expected, path.n);
}

static void the_line_of_v2_is_found_among_those_of_v1(void **state UNUSED)
{
	path_of("0::/a\n", "/a");
	path_of("9:name=systemd:/\n4:memory:/x\n0::/a b/c.slice\n", "/a b/c.slice");
	path_of("0::/", "/");
	path_of("0::/../outside\n", "/../outside");
	path_of("0:: \n0::/second\n", "/second");
}

static void without_one_there_is_no_path(void **state UNUSED)
{
	path_of("", NULL);
	path_of("0::", NULL);
	path_of("0::\n", NULL);
	path_of("9:name=systemd:/x\n10::/y\n", NULL);
	path_of(" 0::/x\n", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_line_of_v2_is_found_among_those_of_v1),
		cmocka_unit_test(without_one_there_is_no_path),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
