// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/io.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "unit.h"

struct scratch {
	char dir[32];
	char *file;
};

static int make_scratch(void **state)
{
	struct scratch *s = xnew(struct scratch);

	strcpy(s->dir, "/tmp/ktstr-io-XXXXXX");
	if (!mkdtemp(s->dir))
		return -1;
	s->file = xasprintf("%s/file", s->dir);
	*state = s;
	return 0;
}

static int remove_scratch(void **state)
{
	struct scratch *s = *state;

	unlink(s->file);
	rmdir(s->dir);
	free(s->file);
	free(s);
	return 0;
}

static void put(const char *path, const char *text, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, mode);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

static int count_entries(const char *dir)
{
	_cleanup_dir_ DIR *d = opendir(dir);
	int n = 0;

	while (readdir(d))
		n++;
	return n - 2;
}

static void reading_a_missing_file_says_which_and_why(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_error_ struct error *err = io_read_file("/nonexistent/x", 10, &text);

	assert_int_equal(error_errno(err), ENOENT);
	assert_contains(error_message(err), "/nonexistent/x");
}

static void reading_stops_at_the_limit(void **state)
{
	struct scratch *s = *state;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	put(s->file, "12345", 0644);
	assert_error_tag(io_read_file(s->file, 4, &text), "limit");
	strbuf_clear(&text);
	assert_success(io_read_file(s->file, 5, &text));
	assert_string_equal(strbuf_str(&text), "12345");
}

/* Longer than one read(): the limit is one for all of them together. */
static void reading_stops_at_the_limit_of_a_long_file(void **state)
{
	struct scratch *s = *state;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT, back = STRBUF_INIT;

	strbuf_append_repeated(&text, 'x', 100000);
	put(s->file, strbuf_str(&text), 0644);
	assert_error_tag(io_read_file(s->file, 99999, &back), "limit");
	strbuf_clear(&back);
	assert_success(io_read_file(s->file, 100000, &back));
	assert_int_equal(back.n, 100000);
}

static void reading_takes_files_without_a_size(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	assert_success(io_read_file("/proc/self/stat", 65536, &text));
	assert_true(text.n > 0);
}

/* Opened like any other file, the FIFO would wait until the test is killed. */
static void reading_a_regular_file_takes_nothing_else(void **state)
{
	struct scratch *s = *state;
	_cleanup_free_ char *below = xasprintf("%s/below", s->file);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	assert_error_tag(io_read_regular(s->file, 0, 10, &text), "absent");
	put(s->file, "12345", 0644);
	assert_error_tag(io_read_regular(below, 0, 10, &text), "absent");
	assert_error_tag(io_read_regular(s->file, 0, 4, &text), "limit");
	strbuf_clear(&text);
	assert_success(io_read_regular(s->file, O_NOFOLLOW, 5, &text));
	assert_string_equal(strbuf_str(&text), "12345");
	assert_error_tag(io_read_regular(s->dir, 0, 10, &text), "io");
	assert_error_tag(io_read_regular("/dev/null", 0, 10, &text), "io");
	unlink(s->file);
	assert_int_equal(mkfifo(s->file, 0600), 0);
	assert_error_tag(io_read_regular(s->file, 0, 10, &text), "io");
	assert_int_equal(text.n, 5);
}

static void reading_a_regular_file_follows_links_unless_told(void **state)
{
	struct scratch *s = *state;
	_cleanup_free_ char *plain = xasprintf("%s/plain", s->dir);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	put(plain, "text", 0644);
	assert_int_equal(symlink("plain", s->file), 0);
	assert_success(io_read_regular(s->file, 0, 10, &text));
	assert_string_equal(strbuf_str(&text), "text");
	assert_error_tag(io_read_regular(s->file, O_NOFOLLOW, 10, &text), "io");
	unlink(plain);
}

static void replacing_keeps_the_mode_and_leaves_no_other_file(void **state)
{
	struct scratch *s = *state;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct stat st;

	put(s->file, "old", 0640);
	chmod(s->file, 0640);
	assert_success(io_replace_file(s->file, "newer", 5));
	assert_success(io_read_file(s->file, 100, &text));
	assert_string_equal(strbuf_str(&text), "newer");
	assert_int_equal(stat(s->file, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	assert_int_equal(count_entries(s->dir), 1);
}

/* Killed before its rename, the one before left a file that nobody could even write to. */
static void replacing_under_a_lock_takes_the_place_of_a_killed_writer(void **state)
{
	struct scratch *s = *state;
	_cleanup_free_ char *left = xasprintf("%s/.file.new", s->dir);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct error *warning = NULL;
	struct stat st;

	put(s->file, "old", 0640);
	chmod(s->file, 0640);
	put(left, "half", 0444);
	assert_int_equal(count_entries(s->dir), 2);
	assert_success(io_replace_locked_file(s->file, "newer", 5, &warning));
	assert_null(warning);
	assert_success(io_read_file(s->file, 100, &text));
	assert_string_equal(strbuf_str(&text), "newer");
	assert_int_equal(stat(s->file, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	assert_int_equal(count_entries(s->dir), 1);
}

static void replacing_in_a_missing_directory_fails_and_names_it(void **state UNUSED)
{
	_cleanup_error_ struct error *err = io_replace_file("/nonexistent/x", "y", 1);

	assert_int_equal(error_errno(err), ENOENT);
	assert_contains(error_message(err), "/nonexistent");
}

/* A rename onto a directory fails after the bytes were written: the late error path. */
static void failed_replacing_leaves_nothing_behind(void **state)
{
	struct scratch *s = *state;

	assert_int_equal(mkdir(s->file, 0755), 0);
	assert_error_tag(io_replace_file(s->file, "y", 1), "io");
	assert_int_equal(count_entries(s->dir), 1);
	rmdir(s->file);
}

/* The link points to a file that exists in our root, but not below the directory. */
static void links_below_a_root_stay_below_it(void **state)
{
	struct scratch *s = *state;
	_cleanup_close_ int fd = -1;
	_cleanup_free_ char *plain = xasprintf("%s/plain", s->dir);

	put(plain, "text", 0644);
	assert_int_equal(symlink("/etc/passwd", s->file), 0);
	assert_int_equal(io_open_below(s->dir, "/file"), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(io_open_below(s->dir, "/../../../../etc/passwd"), -1);
	unlink(s->file);
	assert_int_equal(symlink("/plain", s->file), 0);
	fd = io_open_below(s->dir, "/file");
	assert_true(fd >= 0);
	unlink(plain);
}

static void writing_to_a_full_disk_is_an_error(void **state UNUSED)
{
	_cleanup_close_ int fd = open("/dev/full", O_WRONLY);
	_cleanup_error_ struct error *err = NULL;

	assert_true(fd >= 0);
	err = io_write_all(fd, "/dev/full", "x", 1);
	assert_non_null(err);
	assert_int_equal(error_errno(err), ENOSPC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reading_a_missing_file_says_which_and_why),
		cmocka_unit_test_setup_teardown(reading_stops_at_the_limit, make_scratch,
						remove_scratch),
		cmocka_unit_test_setup_teardown(reading_stops_at_the_limit_of_a_long_file,
						make_scratch, remove_scratch),
		cmocka_unit_test(reading_takes_files_without_a_size),
		cmocka_unit_test_setup_teardown(reading_a_regular_file_takes_nothing_else,
						make_scratch, remove_scratch),
		cmocka_unit_test_setup_teardown(reading_a_regular_file_follows_links_unless_told,
						make_scratch, remove_scratch),
		cmocka_unit_test_setup_teardown(replacing_keeps_the_mode_and_leaves_no_other_file,
						make_scratch, remove_scratch),
		cmocka_unit_test(replacing_in_a_missing_directory_fails_and_names_it),
		cmocka_unit_test_setup_teardown(
			replacing_under_a_lock_takes_the_place_of_a_killed_writer, make_scratch,
			remove_scratch),
		cmocka_unit_test_setup_teardown(failed_replacing_leaves_nothing_behind,
						make_scratch, remove_scratch),
		cmocka_unit_test_setup_teardown(links_below_a_root_stay_below_it, make_scratch,
						remove_scratch),
		cmocka_unit_test(writing_to_a_full_disk_is_an_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
