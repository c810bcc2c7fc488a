// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/group/group.h"

#include "unit.h"

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

static void the_first_glob_that_matches_takes_the_place(void **state UNUSED)
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
		cmocka_unit_test(instances_of_services_are_left_out),
		cmocka_unit_test(structured_instances_and_other_units_stay),
		cmocka_unit_test(numbers_and_ids_are_left_out_even_of_one_path),
		cmocka_unit_test(the_first_glob_that_matches_takes_the_place),
		cmocka_unit_test(literal_paths_are_flattened_but_nothing_else),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
