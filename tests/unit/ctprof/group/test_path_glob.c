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
static void a_backslash_in_a_glob_is_literal(void **state UNUSED)
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
static void a_glob_of_many_stars_matches_in_bounded_time(void **state UNUSED)
{
	char glob[400] = "", path[4000] = "";

	for (int i = 0; i < 30; i++)
		strcat(glob, "/**/*a*a*a");
	for (int i = 0; i < 300; i++)
		strcat(path, "/aaaaaaaaa");
	strcat(path, "/b");
	assert_match(glob, path, false);
}

static void assert_key(const struct ctprof_cgroup_key_rules *rules, const char *path,
		       const char *expected)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	ctprof_cgroup_key_format(rules, path, &text);
	assert_string_equal(strbuf_str(&text), expected);
}

static const struct ctprof_cgroup_key_rules normal;

static void instances_of_services_are_left_out(void **state UNUSED)
{
	assert_key(&normal, "/user.slice/user@1001.service", "/user.slice/user@{I}.service");
	assert_key(&normal, "/system.slice/getty@tty1.service/x",
		   "/system.slice/getty@{I}.service/x");
	assert_key(&normal, "/a@b.service/c@d.service", "/a@{I}.service/c@{I}.service");
	assert_key(&normal, "/a@b@c.service", "/a@{I}.service");
}

static void structured_instances_and_other_units_stay(void **state UNUSED)
{
	assert_key(&normal, "/launcher@foo.bar.service", "/launcher@foo.bar.service");
	assert_key(&normal, "/launcher@foo-bar.service", "/launcher@foo-bar.service");
	assert_key(&normal, "/launcher@foo_bar.service", "/launcher@foo_bar.service");
	assert_key(&normal, "/x@.service", "/x@.service");
	assert_key(&normal, "@.service", "@.service");
	assert_key(&normal, "/x@abc.scope", "/x@abc.scope");
	assert_key(&normal, "/x@abc", "/x@abc");
	assert_key(&normal, "/x@", "/x@");
	/* The rules for tokens still apply. */
	assert_key(&normal, "/x@foo-7.service", "/x@foo-{N}.service");
}

static void numbers_and_ids_are_left_out_even_of_one_path(void **state UNUSED)
{
	assert_key(&normal, "/user.slice/user-1000.slice/session-3.scope",
		   "/user.slice/user-{N}.slice/session-{N}.scope");
	assert_key(&normal, "/kubepods.slice/pod12345678_1234_1234_1234_123456789012.slice",
		   "/kubepods.slice/pod{U}.slice");
	assert_key(&normal,
		   "/system.slice/docker-"
		   "4f1e0f2b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e1f.scope",
		   "/system.slice/docker-{H}.scope");
	assert_key(&normal, "/", "/");
	assert_key(&normal, "", "");
}

static void the_first_matching_glob_replaces_the_path(void **state UNUSED)
{
	static const char *const globs[] = { "/a/job-1", "/a/*", "/a/**" };
	struct ctprof_cgroup_key_rules rules = { .flatten = globs, .n_flatten = 3 };

	assert_key(&rules, "/a/job-1", "/a/job-1");
	assert_key(&rules, "/a/job-2", "/a/*");
	assert_key(&rules, "/a/b/c", "/a/**");
	assert_key(&rules, "/b/job-2", "/b/job-{N}");
}

static void literal_paths_are_flattened_but_nothing_else(void **state UNUSED)
{
	static const char *const globs[] = { "/a/**" };
	struct ctprof_cgroup_key_rules rules = { .flatten = globs,
						 .n_flatten = 1,
						 .literal = true };

	assert_key(&rules, "/a/b-1", "/a/**");
	assert_key(&rules, "/user@1001.service/b-1", "/user@1001.service/b-1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_star_stays_in_its_segment),
		cmocka_unit_test(two_stars_cross_segments),
		cmocka_unit_test(one_character_and_classes),
		cmocka_unit_test(the_whole_path_must_match),
		cmocka_unit_test(a_backslash_in_a_glob_is_literal),
		cmocka_unit_test(malformed_globs_are_named),
		cmocka_unit_test(a_glob_of_many_stars_matches_in_bounded_time),
		cmocka_unit_test(instances_of_services_are_left_out),
		cmocka_unit_test(structured_instances_and_other_units_stay),
		cmocka_unit_test(numbers_and_ids_are_left_out_even_of_one_path),
		cmocka_unit_test(the_first_matching_glob_replaces_the_path),
		cmocka_unit_test(literal_paths_are_flattened_but_nothing_else),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
