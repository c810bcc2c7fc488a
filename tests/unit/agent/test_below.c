// SPDX-License-Identifier: GPL-2.0-or-later
#include "agent/machine.h"

#include "scratch.h"

/* root/in is the cage; root/out is what must not be reached. */
static int cage(const char *root)
{
	_cleanup_free_ char *path = xasprintf("%s/in", root);
	int fd;

	scratch_dir(root, "in");
	scratch_dir(root, "out");
	scratch_write(root, "out/secret", "secret");
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

static void links_and_dots_stay_inside(void **state)
{
	static const char *const targets[] = { "../out", "/out", "../../../../../out" };
	_cleanup_close_ int root = cage(*state);

	for (size_t i = 0; i < ARRAY_SIZE(targets); i++) {
		assert_int_equal(symlinkat(targets[i], root, "link"), 0);
		assert_int_equal(agent_below_open(root, "link/secret", O_RDONLY), -1);
		assert_int_equal(errno, ENOENT);
		unlinkat(root, "link", 0);
	}
	assert_int_equal(agent_below_open(root, "../out/secret", O_RDONLY), -1);
	assert_int_equal(agent_below_open(root, "/../out/secret", O_RDONLY), -1);
}

static void a_link_inside_is_followed(void **state)
{
	_cleanup_close_ int root = cage(*state);
	_cleanup_close_ int fd = -1;

	scratch_dir(*state, "in/usr");
	scratch_write(*state, "in/usr/file", "x");
	assert_int_equal(symlinkat("/usr", root, "alias"), 0);
	fd = agent_below_open(root, "alias/file", O_RDONLY);
	assert_true(fd >= 0);
}

static void missing_directories_are_created(void **state)
{
	static const char *const paths[] = { "a/b/c", "/a/b//d/", "e" };
	_cleanup_close_ int root = cage(*state);

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		_cleanup_close_ int fd = agent_below_make_directories(root, paths[i]);

		assert_true(fd >= 0);
	}
	assert_true(scratch_has(*state, "in/a/b/c"));
	assert_true(scratch_has(*state, "in/a/b/d"));
	assert_true(scratch_has(*state, "in/e"));
}

static void an_empty_path_opens_the_root(void **state)
{
	_cleanup_close_ int root = cage(*state);
	_cleanup_close_ int a = agent_below_make_directories(root, "");
	_cleanup_close_ int b = agent_below_make_directories(root, "/");

	assert_true(a >= 0);
	assert_true(b >= 0);
}

static void a_dangling_link_on_the_way_is_refused(void **state)
{
	_cleanup_close_ int root = cage(*state);

	assert_int_equal(symlinkat("/../out/new", root, "way"), 0);
	assert_int_equal(agent_below_make_directories(root, "way/inside"), -1);
	assert_false(scratch_has(*state, "out/new"));
}

static void parent_directories_are_created_and_the_base_name_returned(void **state)
{
	_cleanup_close_ int root = cage(*state);
	const char *base = NULL;
	_cleanup_close_ int deep = agent_below_parent(root, "x/y/name", &base);
	_cleanup_close_ int top = -1;

	assert_true(deep >= 0);
	assert_string_equal(base, "name");
	assert_true(scratch_has(*state, "in/x/y"));
	assert_false(scratch_has(*state, "in/x/y/name"));
	top = agent_below_parent(root, "single", &base);
	assert_true(top >= 0);
	assert_string_equal(base, "single");
}

static void a_path_without_a_last_part_has_no_parent(void **state)
{
	static const char *const paths[] = { "", "/", "a/", ".", "a/.", "..", "a/.." };
	_cleanup_close_ int root = cage(*state);
	const char *base;

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		assert_int_equal(agent_below_parent(root, paths[i], &base), -1);
		assert_int_equal(errno, EINVAL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(links_and_dots_stay_inside),
		scratch_test(a_link_inside_is_followed),
		scratch_test(missing_directories_are_created),
		scratch_test(an_empty_path_opens_the_root),
		scratch_test(a_dangling_link_on_the_way_is_refused),
		scratch_test(parent_directories_are_created_and_the_base_name_returned),
		scratch_test(a_path_without_a_last_part_has_no_parent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
