// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/paths.h"

#include <fcntl.h>
#include <pthread.h>
#include <pwd.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "unit.h"

static void expect_cache(const char *expected)
{
	_cleanup_free_ char *path = paths_cache("kernels");

	assert_string_equal(path, expected);
}

static void cache_is_where_the_environment_says(void **state UNUSED)
{
	setenv("HOME", "/h", 1);
	unsetenv("KTSTR_CACHE_DIR");
	unsetenv("XDG_CACHE_HOME");
	expect_cache("/h/.cache/ktstr/kernels");
	setenv("XDG_CACHE_HOME", "/xdg", 1);
	expect_cache("/xdg/ktstr/kernels");
	setenv("KTSTR_CACHE_DIR", "/own", 1);
	expect_cache("/own/kernels");
	setenv("KTSTR_CACHE_DIR", "relative", 1);
	expect_cache("/xdg/ktstr/kernels");
}

static void cache_without_an_environment_is_the_users_own(void **state UNUSED)
{
	struct passwd *user = getpwuid(geteuid());
	_cleanup_free_ char *expected = NULL;

	skip_unless(user, "this user has no entry in the password file");
	expected = xasprintf("%s/.cache/ktstr/kernels", user->pw_dir);
	unsetenv("KTSTR_CACHE_DIR");
	unsetenv("XDG_CACHE_HOME");
	unsetenv("HOME");
	expect_cache(expected);
}

static void run_directory_follows_the_environment(void **state UNUSED)
{
	_cleanup_free_ char *own = NULL, *xdg = NULL, *top = NULL;

	setenv("XDG_RUNTIME_DIR", "/run/user/7", 1);
	unsetenv("KTSTR_RUN_DIR");
	xdg = paths_run("vm");
	assert_string_equal(xdg, "/run/user/7/ktstr/vm");
	setenv("KTSTR_RUN_DIR", "/own", 1);
	own = paths_run("vm");
	assert_string_equal(own, "/own/vm");
	top = paths_run("");
	assert_string_equal(top, "/own");
}

static void directories_are_created_measured_and_removed_recursively(void **state UNUSED)
{
	char dir[] = "/tmp/ktstr-paths-XXXXXX";
	_cleanup_free_ char *deep = NULL, *link = NULL, *kept = NULL, *tree = NULL;
	struct stat st;

	assert_non_null(mkdtemp(dir));
	tree = xasprintf("%s/tree", dir);
	deep = xasprintf("%s/a/b/c", tree);
	kept = xasprintf("%s/kept", dir);
	link = xasprintf("%s/a/link", tree);
	assert_success(paths_make(deep, 0700));
	assert_success(paths_make(deep, 0700));
	assert_success(paths_make(kept, 0700));
	assert_int_equal(symlink(kept, link), 0);
	/* du(1) counts alike. */
	{
		_cleanup_free_ char *command = xasprintf("du -s --block-size=1 %s", tree);
		FILE *du = popen(command, "re");
		unsigned long long bytes = 0;

		assert_non_null(du);
		assert_int_equal(fscanf(du, "%llu", &bytes), 1);
		assert_int_equal(pclose(du), 0);
		assert_true(paths_disk_bytes(tree) == bytes);
		assert_true(paths_disk_bytes("/nowhere") == 0);
	}
	assert_success(paths_remove(tree));
	assert_int_equal(stat(tree, &st), -1);
	/* What a link points to is not ours to remove. */
	assert_int_equal(stat(kept, &st), 0);
	assert_success(paths_remove(tree));
	assert_success(paths_remove(dir));
	assert_int_equal(stat(dir, &st), -1);
}

static void a_file_in_place_of_a_directory_is_an_error(void **state UNUSED)
{
	assert_error_tag(paths_make("/dev/null/x", 0700), "io");
	assert_error_tag(paths_make("/dev/null", 0700), "io");
}

/* The right column is what dirname(3) answers. */
static void the_directory_of_a_path_is_that_of_dirname(void **state UNUSED)
{
	static const char *const rows[][2] = {
		{ "/usr/lib", "/usr" }, { "/usr/", "/" }, { "usr", "." }, { "/", "/" },
		{ ".", "." },		{ "..", "." },	  { "", "." },	  { "a//b//", "a" },
		{ "///", "/" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_free_ char *dir = paths_dirname(rows[i][0]);

		assert_string_equal(dir, rows[i][1]);
	}
}

static void programs_are_found_in_path(void **state UNUSED)
{
	char directory[] = "/tmp/ktstr-path-XXXXXX";
	_cleanup_free_ char *old = xstrdup(getenv("PATH")), *path = NULL, *wanted = NULL;
	_cleanup_free_ char *found = NULL, *absent = NULL, *not_executable = NULL;

	assert_non_null(mkdtemp(directory));
	path = xasprintf("/nowhere::%s", directory);
	wanted = xasprintf("%s/tool", directory);
	close(open(wanted, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	setenv("PATH", path, 1);
	not_executable = paths_find_program("tool");
	assert_int_equal(chmod(wanted, 0700), 0);
	found = paths_find_program("tool");
	absent = paths_find_program("no-tool");
	setenv("PATH", old, 1);
	assert_success(paths_remove(directory));
	assert_null(not_executable);
	assert_string_equal(found, wanted);
	assert_null(absent);
}

static char path[64];

static int make_name(void **state UNUSED)
{
	snprintf(path, sizeof(path), "/tmp/ktstr-lock-%d", getpid());
	return 0;
}

static int remove_name(void **state UNUSED)
{
	unlink(path);
	return 0;
}

static void shared_locks_coexist_and_an_exclusive_lock_does_not(void **state UNUSED)
{
	_cleanup_close_ int a = -1, b = -1, c = -1;

	assert_success(lock_try(path, LOCK_SHARED, &a));
	assert_success(lock_try(path, LOCK_SHARED, &b));
	assert_true(a >= 0 && b >= 0);
	assert_success(lock_try(path, LOCK_EXCLUSIVE, &c));
	assert_int_equal(c, -1);
	close(take_fd(a));
	close(take_fd(b));
	assert_success(lock_try(path, LOCK_EXCLUSIVE, &c));
	assert_true(c >= 0);
	assert_success(lock_try(path, LOCK_SHARED, &a));
	assert_int_equal(a, -1);
}

static void *remove_and_let_go(void *arg)
{
	int fd = *(int *)arg;

	usleep(60000);
	unlink(path);
	close(fd);
	return NULL;
}

/* Who waited for a file that its holder removed must end up with the one others will find. */
static void lock_wait_locks_the_new_file_when_the_old_one_was_removed(void **state UNUSED)
{
	_cleanup_close_ int fd = -1;
	struct stat held, named;
	pthread_t thread;
	int first;

	assert_success(lock_try(path, LOCK_EXCLUSIVE, &first));
	assert_int_equal(pthread_create(&thread, NULL, remove_and_let_go, &first), 0);
	assert_success(lock_wait(path, LOCK_EXCLUSIVE, NULL, &fd));
	pthread_join(thread, NULL);
	assert_int_equal(fstat(fd, &held), 0);
	assert_int_equal(stat(path, &named), 0);
	assert_int_equal(held.st_ino, named.st_ino);
}

static void waiting_for_a_lock_can_be_cancelled(void **state UNUSED)
{
	struct cancel cancel = { .deadline_ns = clock_monotonic_ns() + 50 * NS_PER_MS };
	_cleanup_close_ int holder = -1, fd = -1;

	assert_success(lock_try(path, LOCK_EXCLUSIVE, &holder));
	assert_error_tag(lock_wait(path, LOCK_EXCLUSIVE, &cancel, &fd), "cancelled");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_directory_of_a_path_is_that_of_dirname),
		cmocka_unit_test(programs_are_found_in_path),
		cmocka_unit_test(cache_is_where_the_environment_says),
		cmocka_unit_test(cache_without_an_environment_is_the_users_own),
		cmocka_unit_test(run_directory_follows_the_environment),
		cmocka_unit_test(directories_are_created_measured_and_removed_recursively),
		cmocka_unit_test(a_file_in_place_of_a_directory_is_an_error),
		cmocka_unit_test_setup_teardown(shared_locks_coexist_and_an_exclusive_lock_does_not,
						make_name, remove_name),
		cmocka_unit_test_setup_teardown(
			lock_wait_locks_the_new_file_when_the_old_one_was_removed, make_name,
			remove_name),
		cmocka_unit_test_setup_teardown(waiting_for_a_lock_can_be_cancelled, make_name,
						remove_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
