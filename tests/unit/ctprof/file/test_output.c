// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/file/file.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "files.h"

struct dir {
	char path[64];
	char file[96];
};

static int in_dir(void **state)
{
	struct dir *directory = xnew(struct dir);

	strcpy(directory->path, "/tmp/ktstr-output-XXXXXX");
	assert_non_null(mkdtemp(directory->path));
	snprintf(directory->file, sizeof(directory->file), "%s/a.ctprof.zst", directory->path);
	*state = directory;
	return 0;
}

static size_t entries(const struct dir *directory)
{
	_cleanup_dir_ DIR *dir = opendir(directory->path);
	size_t n = 0;

	while (readdir(dir))
		n++;
	return n - 2;
}

static int leave_dir(void **state)
{
	struct dir *directory = *state;
	_cleanup_dir_ DIR *dir = opendir(directory->path);
	struct dirent *entry;

	while ((entry = readdir(dir))) {
		if (entry->d_name[0] != '.' || strlen(entry->d_name) > 2)
			unlinkat(dirfd(dir), entry->d_name, 0);
	}
	rmdir(directory->path);
	free(directory);
	return 0;
}

static void put(const char *path, const char *text)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0640);

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
}

static uint64_t threads_in(const char *name)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s = { 0 };

	assert_success(ctprof_snapshot_load(name, NULL, &s, NULL));
	return s.threads.n;
}

static void add_threads(struct ctprof_snapshot *s, uint32_t n)
{
	ctprof_snapshot_init(s);
	for (uint32_t i = 1; i <= n; i++)
		vec_push(&s->threads, full_sample(s, i, i));
}

static void the_first_snapshot_replaces_the_file_and_later_ones_append(void **state)
{
	const struct dir *directory = *state;
	_cleanup_ctprof_snapshot_output_ struct ctprof_snapshot_output *output = NULL;
	_cleanup_free_ char *third = xasprintf("%s@3", directory->file);
	struct ctprof_snapshot_frame_size size, sum = { 0 };
	struct stat st;

	put(directory->file, "old");
	assert_success(ctprof_snapshot_output_open(directory->file, &output));
	assert_int_equal(stat(directory->file, &st), 0);
	assert_int_equal(st.st_size, 3);
	for (uint32_t i = 1; i <= 3; i++) {
		_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;

		add_threads(&s, i);
		assert_success(ctprof_snapshot_output_add(output, &s, &size));
		sum.file_bytes += size.file_bytes;
		assert_int_equal(stat(directory->file, &st), 0);
		assert_int_equal(st.st_size, sum.file_bytes);
		assert_int_equal(entries(directory), 1);
	}
	/* As the file was that it replaced. */
	assert_int_equal(st.st_mode & 0777, 0640);
	assert_int_equal(threads_in(directory->file), 1);
	assert_int_equal(threads_in(third), 3);
}

static void a_new_file_is_its_owners_alone(void **state)
{
	const struct dir *directory = *state;
	_cleanup_ctprof_snapshot_output_ struct ctprof_snapshot_output *output = NULL;
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;
	struct stat st;

	add_threads(&s, 1);
	assert_success(ctprof_snapshot_output_open(directory->file, &output));
	assert_int_equal(entries(directory), 0);
	assert_success(ctprof_snapshot_output_add(output, &s, NULL));
	assert_int_equal(stat(directory->file, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
}

/* A file that may not grow past so many bytes: what a full disk looks like. */
static void limit_files_to(rlim_t bytes)
{
	struct rlimit limit = { bytes, RLIM_INFINITY };

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void a_first_that_does_not_fit_leaves_the_old_file(void **state)
{
	const struct dir *directory = *state;
	_cleanup_ctprof_snapshot_output_ struct ctprof_snapshot_output *output = NULL;
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;
	struct stat st;

	add_threads(&s, 500);
	put(directory->file, "old");
	assert_success(ctprof_snapshot_output_open(directory->file, &output));
	limit_files_to(100);
	assert_error_tag(ctprof_snapshot_output_add(output, &s, NULL), "io");
	limit_files_to(RLIM_INFINITY);
	assert_int_equal(stat(directory->file, &st), 0);
	assert_int_equal(st.st_size, 3);
	assert_int_equal(entries(directory), 1);
}

static void a_later_snapshot_that_does_not_fit_is_truncated_away(void **state)
{
	const struct dir *directory = *state;
	_cleanup_ctprof_snapshot_output_ struct ctprof_snapshot_output *output = NULL;
	_cleanup_ctprof_snapshot_origin_ struct ctprof_snapshot_origin origin = { 0 };
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s, back = { 0 };
	struct ctprof_snapshot_frame_size size;

	add_threads(&s, 500);
	assert_success(ctprof_snapshot_output_open(directory->file, &output));
	assert_success(ctprof_snapshot_output_add(output, &s, &size));
	limit_files_to(size.file_bytes + 100);
	assert_error_tag(ctprof_snapshot_output_add(output, &s, NULL), "io");
	limit_files_to(RLIM_INFINITY);
	/* And there is room again. */
	assert_success(ctprof_snapshot_output_add(output, &s, NULL));
	assert_success(ctprof_snapshot_load(directory->file, NULL, &back, &origin));
	assert_int_equal(origin.frames, 2);
	assert_int_equal(origin.torn_bytes, 0);
}

static void a_symlink_to_the_output_is_kept(void **state)
{
	const struct dir *directory = *state;
	_cleanup_free_ char *link = xasprintf("%s/link", directory->path);
	_cleanup_ctprof_snapshot_output_ struct ctprof_snapshot_output *output = NULL;
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;
	struct stat st;

	add_threads(&s, 1);
	put(directory->file, "old");
	assert_int_equal(symlink(directory->file, link), 0);
	assert_success(ctprof_snapshot_output_open(link, &output));
	assert_success(ctprof_snapshot_output_add(output, &s, NULL));
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(threads_in(directory->file), 1);
}

/* A device is never replaced by a file, whoever we are. */
static void a_device_is_written_into(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_output_ struct ctprof_snapshot_output *output = NULL;
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;
	struct error *err;
	struct stat st;

	add_threads(&s, 1);
	assert_success(ctprof_snapshot_output_open("/dev/full", &output));
	err = ctprof_snapshot_output_add(output, &s, NULL);
	assert_int_equal(error_errno(err), ENOSPC);
	error_free(err);
	assert_int_equal(stat("/dev/full", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
}

static void standard_output_is_a_dash(void **state)
{
	const struct dir *directory = *state;
	_cleanup_ctprof_snapshot_output_ struct ctprof_snapshot_output *output = NULL;
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;
	int saved = dup(STDOUT_FILENO), fd;

	add_threads(&s, 2);
	fflush(stdout);
	fd = open(directory->file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	dup2(fd, STDOUT_FILENO);
	assert_success(ctprof_snapshot_output_open("-", &output));
	assert_success(ctprof_snapshot_output_add(output, &s, NULL));
	dup2(saved, STDOUT_FILENO);
	close(saved);
	close(fd);
	assert_int_equal(threads_in(directory->file), 2);
}

static void an_impossible_output_path_fails_before_the_capture(void **state)
{
	const struct dir *directory = *state;
	_cleanup_free_ char *below = xasprintf("%s/none/x", directory->path);
	struct ctprof_snapshot_output *output;

	assert_error_tag(ctprof_snapshot_output_open(directory->path, &output), "io");
	assert_error_tag(ctprof_snapshot_output_open(below, &output), "io");
	assert_error_tag(ctprof_snapshot_output_open("", &output), "io");
}

int main(void)
{
#define TEST_(name) cmocka_unit_test_setup_teardown(name, in_dir, leave_dir)
	const struct CMUnitTest tests[] = {
		TEST_(the_first_snapshot_replaces_the_file_and_later_ones_append),
		TEST_(a_new_file_is_its_owners_alone),
		TEST_(a_first_that_does_not_fit_leaves_the_old_file),
		TEST_(a_later_snapshot_that_does_not_fit_is_truncated_away),
		TEST_(a_symlink_to_the_output_is_kept),
		TEST_(a_device_is_written_into),
		TEST_(standard_output_is_a_dash),
		TEST_(an_impossible_output_path_fails_before_the_capture),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
