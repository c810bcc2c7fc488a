// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/group/group.h"

#include "unit.h"

static void assert_match(const char *glob, const char *path, bool expected)
{
	assert_success(ctprof_path_glob_check(glob));
	if (ctprof_path_glob_matches(glob, path) != expected)
		fail_msg("%s %s %s", glob, expected ? "should match" : "should not match", path);
}

static void a_star_stays_in_its_segment(void **state UNUSED)
{
	assert_match("/a/*", "/a/b", true);
	assert_match("/a/*", "/a/b/c", false);
	assert_match("/a/*", "/a", false);
	assert_match("/a/*/c", "/a/b/c", true);
	assert_match("/a/*/c", "/a/b/b/c", false);
	assert_match("/docker-*.scope", "/docker-4f1e.scope", true);
	assert_match("/docker-*.scope", "/docker-.scope", true);
	assert_match("/docker-*.scope", "/docker-4f1e.slice", false);
	assert_match("/*a*b", "/xaxbxb", true);
	assert_match("/*a*b", "/xaxbxc", false);
	assert_match("/*", "/", true);
}

static void two_stars_cross_segments(void **state UNUSED)
{
	assert_match("/a/**", "/a", true);
	assert_match("/a/**", "/a/b", true);
	assert_match("/a/**", "/a/b/c/d", true);
	assert_match("/a/**", "/ab/c", false);
	assert_match("/a/**/z", "/a/z", true);
	assert_match("/a/**/z", "/a/b/c/z", true);
	assert_match("/a/**/z", "/a/b/z/c", false);
	assert_match("/a/**/z", "/a/z/z", true);
	assert_match("**", "/a/b", true);
	assert_match("**/b", "/a/b", true);
	assert_match("**/b", "/a/bb", false);
	assert_match("/**/b/**/c", "/x/b/y/b/z/c", true);
	assert_match("/**/b/**/c", "/x/b/y/z", false);
	assert_match("/**/*.scope", "/user.slice/user-1.slice/session-3.scope", true);
}

static void one_character_and_classes(void **state UNUSED)
{
	assert_match("/a?c", "/abc", true);
	assert_match("/a?c", "/ac", false);
	assert_match("/a?c", "/aäc", true);
	assert_match("/a?c",
		     "/a\xff"
		     "c",
		     true);
	assert_match("/a?", "/a/", false);
	assert_match("/user-[0-9].slice", "/user-7.slice", true);
	assert_match("/user-[0-9].slice", "/user-x.slice", false);
	assert_match("/user-[!0-9].slice", "/user-x.slice", true);
	assert_match("/user-[!0-9].slice", "/user-7.slice", false);
	assert_match("/[]]", "/]", true);
	assert_match("/[a-]", "/-", true);
	assert_match("/[*]", "/*", true);
	assert_match("/[*]", "/x", false);
	assert_match("/[ä-ü]", "/ö", true);
}

static void the_whole_path_must_match(void **state UNUSED)
{
	assert_match("/a", "/a", true);
	assert_match("/a", "/a/b", false);
	assert_match("/a", "/ab", false);
	assert_match("/a/b", "/a", false);
	assert_match("/", "/", true);
}

/* systemd writes a dash in a name as \x2d. */
static void a_backslash_is_itself(void **state UNUSED)
{
	assert_match("/a\\x2d*", "/a\\x2db", true);
	assert_match("/\\*", "/\\b", true);
	assert_match("/\\*", "/*", false);
}

static void malformed_globs_are_named(void **state UNUSED)
{
	assert_error_tag(ctprof_path_glob_check(""), "parse");
	assert_error_tag(ctprof_path_glob_check("a/*"), "parse");
	assert_error_tag(ctprof_path_glob_check("*"), "parse");
	assert_error_tag(ctprof_path_glob_check("/a[0-9"), "parse");
	assert_error_tag(ctprof_path_glob_check("/a[0/9]"), "parse");
	assert_error_tag(ctprof_path_glob_check("/a["), "parse");
	assert_error_tag(ctprof_path_glob_check("/a[]"), "parse");
	assert_error_tag(ctprof_path_glob_check("/a[!]"), "parse");
	assert_error_tag(ctprof_path_glob_check("/a[9-0]"), "parse");
	assert_error_tag(ctprof_path_glob_check("/a**"), "parse");
	assert_error_tag(ctprof_path_glob_check("/a/**b"), "parse");
	assert_error_tag(ctprof_path_glob_check("/a/***"), "parse");
}

/* Many stars against a path that nearly fits: what tries every way would not come back. */
static void many_stars_end_soon(void **state UNUSED)
{
	char glob[400] = "", path[4000] = "";

	for (int i = 0; i < 30; i++)
		strcat(glob, "/**/*a*a*a");
	for (int i = 0; i < 300; i++)
		strcat(path, "/aaaaaaaaa");
	strcat(path, "/b");
	assert_match(glob, path, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_star_stays_in_its_segment),
		cmocka_unit_test(two_stars_cross_segments),
		cmocka_unit_test(one_character_and_classes),
		cmocka_unit_test(the_whole_path_must_match),
		cmocka_unit_test(a_backslash_is_itself),
		cmocka_unit_test(malformed_globs_are_named),
		cmocka_unit_test(many_stars_end_soon),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
