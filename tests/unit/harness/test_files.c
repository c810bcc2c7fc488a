// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness/session.h"

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/spawn.h"
#include "base/vec.h"
#include "staged_root.h"

/* A binary in /bin of the root, two directories for --files, one for PATH; and one test. */
struct fixture {
	char *root;
	struct exchange_declared_suite suite;
	struct exchange_declared_test test;
	char *dirs[2];
	char *path;
	struct harness_file_finder finder;
	struct strbuf mistakes;
	struct harness_test_files files;
	char *names[8];
};

static void put(struct fixture *f, const char *path, const char *text, mode_t mode)
{
	_cleanup_free_ char *full = xasprintf("%s%s", f->root, path);

	staged_file(f->root, path, text, strlen(text));
	assert_int_equal(chmod(full, mode), 0);
}

static int set_up(void **state)
{
	static char test_name[] = "fair", file[] = "a.c", suite_name[] = "mytests";
	struct fixture *f = xnew(struct fixture);

	f->root = staged_root_new();
	f->suite.path = xasprintf("%s/bin/mytests", f->root);
	f->suite.name = suite_name;
	f->test.name = test_name;
	f->test.file = file;
	f->test.line = 12;
	f->test.files.at = f->names;
	f->dirs[0] = xasprintf("%s/one", f->root);
	f->dirs[1] = xasprintf("%s/two", f->root);
	f->path = xasprintf("/nowhere:%s/usr", f->root);
	f->finder = (struct harness_file_finder){ .dirs = (const char *const *)f->dirs,
						  .n_dirs = 2,
						  .path = f->path };
	put(f, "/bin/mytests", "binary", 0755);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	harness_test_files_deinit(&f->files);
	harness_file_finder_deinit(&f->finder);
	strbuf_deinit(&f->mistakes);
	staged_root_free(f->root);
	free(f->suite.path);
	free(f->dirs[0]);
	free(f->dirs[1]);
	free(f->path);
	for (size_t i = 0; i < ARRAY_SIZE(f->names); i++)
		free(f->names[i]);
	free(f);
	return 0;
}

static void want(struct fixture *f, const char *name)
{
	f->names[f->test.files.n++] = xstrdup(name);
}

static void find_files(struct fixture *f)
{
	harness_test_files_deinit(&f->files);
	strbuf_clear(&f->mistakes);
	assert_success(
		harness_files_find(&f->finder, &f->suite, &f->test, &f->mistakes, &f->files));
}

/* The file's path below the root. */
static const char *path_of(const struct fixture *f, size_t i)
{
	assert_true(i < f->files.n);
	assert_memory_equal(f->files.at[i].path, f->root, strlen(f->root));
	return f->files.at[i].path + strlen(f->root);
}

PRINTF_LIKE(2, 3)
static void assert_mistakes(const struct fixture *f, const char *fmt, ...)
{
	_cleanup_free_ char *wanted = NULL;
	va_list args;

	va_start(args, fmt);
	assert_true(vasprintf(&wanted, fmt, args) >= 0);
	va_end(args);
	assert_string_equal(strbuf_str(&f->mistakes), wanted);
}

static void the_binary_itself_comes_first(void **state)
{
	struct fixture *f = *state;

	find_files(f);
	assert_int_equal(f->files.n, 1);
	assert_string_equal(f->files.at[0].name, "mytests");
	assert_string_equal(path_of(f, 0), "/bin/mytests");
	assert_int_equal(f->files.at[0].bytes, 6);
	assert_mistakes(f, "%s", "");
}

static void files_are_searched_beside_the_binary_in_directories_then_path(void **state)
{
	static const char *const places[] = { "/usr/tool", "/two/tool", "/one/tool", "/bin/tool" };
	struct fixture *f = *state;

	want(f, "tool");
	/* Each is found before the one that was there already. */
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		put(f, places[i], "x", 0644);
		find_files(f);
		assert_int_equal(f->files.n, 2);
		assert_string_equal(path_of(f, 1), places[i]);
		assert_string_equal(f->files.at[1].name, "tool");
	}
}

static void a_file_name_with_a_slash_is_relative_to_the_binary(void **state)
{
	struct fixture *f = *state;

	put(f, "/data/tool", "x", 0644);
	put(f, "/one/data/tool", "x", 0644);
	put(f, "/else/other", "x", 0644);
	want(f, "../data/tool");
	f->names[f->test.files.n++] = xasprintf("%s/else/other", f->root);
	find_files(f);
	assert_int_equal(f->files.n, 3);
	assert_string_equal(path_of(f, 1), "/data/tool");
	assert_string_equal(f->files.at[1].name, "tool");
	assert_string_equal(path_of(f, 2), "/else/other");
	f->test.files.n = 0;
	/* Not in the directories of --files. */
	free(f->names[0]);
	want(f, "data/tool");
	find_files(f);
	assert_mistakes(f, "a.c:12: fair: no file data/tool: searched in %s/bin\n", f->root);
}

static void a_known_place_is_searched_first(void **state)
{
	struct fixture *f = *state;
	_cleanup_free_ char *old = xasprintf("%s/old/tool-1.2", f->root);
	const struct harness_known_place places[] = {
		{ "other", "/nowhere/other" },
		{ "tool", "old/tool-1.2" }, /* from where? */
		{ "tool", old },
	};

	want(f, "tool");
	f->finder.places = places;
	f->finder.n_places = ARRAY_SIZE(places);
	put(f, "/bin/tool", "x", 0644);
	put(f, "/old/tool-1.2", "y", 0644);
	find_files(f);
	assert_int_equal(f->files.n, 2);
	assert_string_equal(path_of(f, 1), "/old/tool-1.2");
	assert_string_equal(f->files.at[1].name, "tool");
	/* Nothing is there any more: then as ever. */
	assert_int_equal(unlink(old), 0);
	find_files(f);
	assert_string_equal(path_of(f, 1), "/bin/tool");
	want(f, "other");
	find_files(f);
	assert_mistakes(f,
			"a.c:12: fair: no file other: searched at /nowhere/other, in %1$s/bin, "
			"%1$s/one, %1$s/two, PATH\n",
			f->root);
}

static void all_missing_files_are_reported(void **state)
{
	struct fixture *f = *state;
	char program[] = "scx_x", extra[] = "x.cfg";
	char *argv[] = { program, NULL }, *extras[] = { extra, NULL };

	f->test.scheduler.argv = (struct exchange_text_list){ argv, 1 };
	f->test.scheduler.files = (struct exchange_text_list){ extras, 1 };
	put(f, "/two/x.cfg", "x", 0644);
	want(f, "gone");
	want(f, "/not/there");
	want(f, "directory/");
	want(f, "..");
	find_files(f);
	assert_mistakes(
		f,
		"a.c:12: fair: no program scx_x: searched in %1$s/bin, %1$s/one, %1$s/two, "
		"PATH\n"
		"a.c:12: fair: no file gone: searched in %1$s/bin, %1$s/one, %1$s/two, PATH\n"
		"a.c:12: fair: no file /not/there: searched there\n"
		"a.c:12: fair: 'directory/' is not a file name\n"
		"a.c:12: fair: '..' is not a file name\n",
		f->root);
	/* What was found is there. */
	assert_int_equal(f->files.n, 2);
	assert_string_equal(path_of(f, 1), "/two/x.cfg");
}

static void a_scheduler_must_be_executable_and_comes_second(void **state)
{
	struct fixture *f = *state;
	char program[] = "scx_x";
	char *argv[] = { program, NULL };

	f->test.scheduler.argv = (struct exchange_text_list){ argv, 1 };
	want(f, "data");
	put(f, "/bin/data", "x", 0644);
	put(f, "/bin/scx_x", "not yet", 0644);
	put(f, "/one/scx_x", "x", 0755);
	find_files(f);
	assert_int_equal(f->files.n, 3);
	assert_string_equal(path_of(f, 1), "/one/scx_x");
}

static void a_scheduler_without_execute_permission_is_reported(void **state)
{
	struct fixture *f = *state;
	char program[] = "scx_x";
	char *argv[] = { program, NULL };

	f->test.scheduler.argv = (struct exchange_text_list){ argv, 1 };
	put(f, "/one/scx_x", "not yet", 0644);
	find_files(f);
	assert_mistakes(
		f, "a.c:12: fair: no program scx_x: %s/one/scx_x cannot be executed: chmod +x it\n",
		f->root);
}

static void a_scheduler_for_another_architecture_is_reported(void **state)
{
	struct fixture *f = *state;
	_cleanup_free_ char *to = xasprintf("%s/one/scx_x", f->root);
	_cleanup_free_ char *self = realpath("/proc/self/exe", NULL);
	const char *const copy[] = { "cp", self, to, NULL };
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	int status;
	const unsigned char machine[] = { EM_AARCH64, 0 };
	_cleanup_close_ int fd = -1;
	char program[] = "scx_x";
	char *argv[] = { program, NULL };

	f->test.scheduler.argv = (struct exchange_text_list){ argv, 1 };
	put(f, "/one/scx_x", "", 0755);
	assert_success(spawn_capture(copy, 1 << 10, &out, &status));
	find_files(f);
	assert_int_equal(f->files.n, 2);
	fd = open(to, O_WRONLY | O_CLOEXEC);
	assert_int_equal(pwrite(fd, machine, 2, offsetof(Elf64_Ehdr, e_machine)), 2);
	find_files(f);
	assert_mistakes(f, "a.c:12: fair: %s/one/scx_x is a program for another architecture\n",
			f->root);
}

static void a_directory_is_not_taken_for_a_file(void **state)
{
	struct fixture *f = *state;

	put(f, "/bin/tool/inside", "x", 0644);
	put(f, "/one/tool", "x", 0644);
	want(f, "tool");
	find_files(f);
	assert_string_equal(path_of(f, 1), "/one/tool");
}

static void a_link_keeps_its_name_and_shows_its_file(void **state)
{
	struct fixture *f = *state;

	put(f, "/else/tool-1.2", "x", 0644);
	staged_link(f->root, "/bin/tool", "../else/tool-1.2");
	want(f, "tool");
	find_files(f);
	assert_string_equal(f->files.at[1].name, "tool");
	assert_string_equal(path_of(f, 1), "/else/tool-1.2");
}

static void two_files_with_the_same_guest_name_are_refused(void **state)
{
	struct fixture *f = *state;

	put(f, "/one/tool", "x", 0644);
	put(f, "/bin/sub/tool", "x", 0644);
	want(f, "tool");
	want(f, "sub/tool");
	/* The same file again is none. */
	want(f, "../one/tool");
	find_files(f);
	assert_mistakes(f,
			"a.c:12: fair: %1$s/one/tool and %1$s/bin/sub/tool would both be tool in "
			"the guest\n",
			f->root);
	assert_int_equal(f->files.n, 2);
}

static void no_file_may_have_the_name_of_the_binary(void **state)
{
	struct fixture *f = *state;

	put(f, "/bin/sub/mytests", "x", 0644);
	want(f, "sub/mytests");
	find_files(f);
	assert_contains(strbuf_str(&f->mistakes), "would both be mytests in the guest");
}

/* FNV-1a of "foobar", from its authors' test vectors. */
static void the_hash_is_that_of_the_content(void **state)
{
	struct fixture *f = *state;

	put(f, "/bin/tool", "foobar", 0644);
	want(f, "tool");
	find_files(f);
	assert_int_equal(f->files.at[1].hash, UINT64_C(0x85944171f73967e8));
	assert_int_equal(f->files.at[1].bytes, 6);
	assert_null(f->files.at[1].build_id);
}

static void a_file_is_read_once_for_all_tests(void **state)
{
	struct fixture *f = *state;
	struct harness_test_files again = { 0 };

	put(f, "/bin/tool", "foobar", 0644);
	want(f, "tool");
	find_files(f);
	put(f, "/bin/tool", "changed", 0644);
	assert_success(harness_files_find(&f->finder, &f->suite, &f->test, &f->mistakes, &again));
	assert_int_equal(again.at[1].hash, UINT64_C(0x85944171f73967e8));
	assert_ptr_equal(again.at[1].path, f->files.at[1].path);
	assert_int_equal(f->finder.known.n, 2);
	harness_test_files_deinit(&again);
}

/* As readelf reads it from this very program. */
static void a_program_has_its_build_id(void **state)
{
	struct fixture *f = *state;
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	_cleanup_free_ char *self = realpath("/proc/self/exe", NULL);
	const char *const argv[] = { "readelf", "-n", self, NULL };
	const char *at;
	int status;

	assert_success(spawn_capture(argv, 1 << 20, &out, &status));
	at = strstr(strbuf_str(&out), "Build ID: ");
	skip_unless(at, "this program was linked without a build-id");
	f->names[f->test.files.n++] = xstrdup(self);
	find_files(f);
	assert_non_null(f->files.at[1].build_id);
	assert_memory_equal(f->files.at[1].build_id, at + strlen("Build ID: "),
			    strlen(f->files.at[1].build_id));
	assert_true(strlen(f->files.at[1].build_id) >= 32);
}

static void a_binary_that_is_gone_is_an_error(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(unlink(f->suite.path), 0);
	assert_error_tag(
		harness_files_find(&f->finder, &f->suite, &f->test, &f->mistakes, &f->files), "io");
	assert_int_equal(f->files.n, 0);
}

static void searching_files_works_without_path_and_directories(void **state)
{
	struct fixture *f = *state;

	put(f, "/usr/tool", "x", 0644);
	f->finder.path = NULL;
	f->finder.n_dirs = 0;
	want(f, "tool");
	find_files(f);
	assert_mistakes(f, "a.c:12: fair: no file tool: searched in %s/bin, PATH\n", f->root);
}

static void a_file_that_changes_afterwards_is_noticed(void **state)
{
	struct fixture *f = *state;
	_cleanup_free_ char *full = xasprintf("%s/bin/data", f->root);

	put(f, "/bin/data", "one", 0644);
	want(f, "data");
	find_files(f);
	assert_success(harness_files_check(&f->files));
	/* Touched, and with another mode: the same bytes. */
	put(f, "/bin/data", "one", 0600);
	assert_success(harness_files_check(&f->files));
	put(f, "/bin/data", "two", 0644);
	assert_error_tag(harness_files_check(&f->files), "file-changed");
	assert_int_equal(unlink(full), 0);
	assert_error_tag(harness_files_check(&f->files), "io");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_binary_itself_comes_first),
		TEST(files_are_searched_beside_the_binary_in_directories_then_path),
		TEST(a_file_name_with_a_slash_is_relative_to_the_binary),
		TEST(a_known_place_is_searched_first),
		TEST(all_missing_files_are_reported),
		TEST(a_scheduler_must_be_executable_and_comes_second),
		TEST(a_scheduler_without_execute_permission_is_reported),
		TEST(a_scheduler_for_another_architecture_is_reported),
		TEST(a_directory_is_not_taken_for_a_file),
		TEST(a_link_keeps_its_name_and_shows_its_file),
		TEST(two_files_with_the_same_guest_name_are_refused),
		TEST(no_file_may_have_the_name_of_the_binary),
		TEST(the_hash_is_that_of_the_content),
		TEST(a_file_is_read_once_for_all_tests),
		TEST(a_program_has_its_build_id),
		TEST(a_binary_that_is_gone_is_an_error),
		TEST(searching_files_works_without_path_and_directories),
		TEST(a_file_that_changes_afterwards_is_noticed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
