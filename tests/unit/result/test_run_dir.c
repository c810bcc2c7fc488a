// SPDX-License-Identifier: GPL-2.0-or-later
#include "result/run_dir.h"

#include <sys/file.h>

#include "base/paths.h"
#include "scratch.h"

static void touch(const struct scratch *s, const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", s->dir, name);
	int fd = open(path, O_WRONLY | O_CREAT, 0644);

	assert_true(fd >= 0);
	close(fd);
}

static void make(const struct scratch *s, const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", s->dir, name);

	assert_int_equal(mkdir(path, 0755), 0);
}

static bool is_there(const struct scratch *s, const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", s->dir, name);

	return access(path, F_OK) == 0;
}

static int empty_scratch(void **state)
{
	struct scratch *s = *state;
	_cleanup_free_ char *dir = xstrdup(s->dir);

	assert_success(paths_remove(dir));
	assert_int_equal(mkdir(dir, 0700), 0);
	return remove_scratch(state);
}

static void every_run_gets_its_own_directory(void **state)
{
	struct scratch *s = *state;
	_cleanup_free_ char *base = xasprintf("%s/a/ktstr-results", s->dir);
	_cleanup_result_names_ struct result_names runs = { 0 };
	char *paths[5];

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		struct stat st;

		assert_success(result_dir_new(base, &paths[i]));
		assert_int_equal(strncmp(paths[i], base, strlen(base)), 0);
		assert_int_equal(stat(paths[i], &st), 0);
		assert_true(S_ISDIR(st.st_mode));
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(paths[i], paths[j]);
		assert_null(strchr(paths[i], ':'));
	}
	assert_success(result_dir_runs(base, &runs));
	assert_int_equal(runs.names.n, ARRAY_SIZE(paths));
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		free(paths[i]);
}

static void a_base_that_is_a_file_is_an_error(void **state)
{
	struct scratch *s = *state;
	char *path = NULL;

	touch(s, "t.ktstr.json");
	assert_error_tag(result_dir_new(s->file, &path), "io");
	assert_null(path);
}

static void records_are_listed_by_name_and_nothing_else(void **state)
{
	struct scratch *s = *state;
	_cleanup_result_names_ struct result_names names = { 0 };

	touch(s, "b-1.ktstr.json");
	touch(s, "a-1.ktstr.json");
	touch(s, "a-1.ktstr.json.lock");
	touch(s, ".ktstr.json");
	touch(s, ".hidden.ktstr.json");
	touch(s, "console.log");
	make(s, "2026-01-02T03-04-05-6");
	assert_success(result_dir_records(s->dir, &names));
	assert_int_equal(names.names.n, 2);
	assert_string_equal(names.names.at[0], "a-1.ktstr.json");
	assert_string_equal(names.names.at[1], "b-1.ktstr.json");
}

/* As `ktstr test -o NAME` makes them, in a directory of runs. */
static void runs_with_a_chosen_name_are_listed(void **state)
{
	static const char *const names[] = { "2026-11-15T14-30-05-9", "mine", "old", "empty",
					     "notes.txt" };
	const struct timespec old[2] = { { .tv_sec = 1000000000 }, { .tv_sec = 1000000000 } };
	_cleanup_result_names_ struct result_names found = { 0 };
	struct scratch *s = *state;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		_cleanup_free_ char *path = xasprintf("%s/%s", s->dir, names[i]);
		_cleanup_free_ char *record = xasprintf("%s/a-1.ktstr.json", path);

		assert_int_equal(mkdir(path, 0755), 0);
		if (i == 1 || i == 2)
			close(open(record, O_WRONLY | O_CREAT, 0644));
		if (i == 2)
			assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
	}
	assert_success(result_dir_runs(s->dir, &found));
	assert_int_equal(found.names.n, 3);
	/* The clock of this machine may stand anywhere: only the dates that are set are compared.
	 */
	assert_string_equal(found.names.at[2], "old");
}

static void runs_are_listed_the_newest_first(void **state)
{
	struct scratch *s = *state;
	_cleanup_result_names_ struct result_names names = { 0 };

	make(s, "2026-01-02T03-04-05-6");
	make(s, "2026-01-02T03-04-05-6-2");
	make(s, "2026-01-02T03-04-05-6-10");
	make(s, "2026-11-02T03-04-05-6");
	make(s, "2026-2-02T03-04-05-6");
	make(s, "2026-01-02T03:04:05-6");
	make(s, "2026-01-02T03-04-05");
	make(s, "kept");
	assert_success(result_dir_runs(s->dir, &names));
	assert_int_equal(names.names.n, 4);
	assert_string_equal(names.names.at[0], "2026-11-02T03-04-05-6");
	assert_string_equal(names.names.at[1], "2026-01-02T03-04-05-6-10");
	assert_string_equal(names.names.at[2], "2026-01-02T03-04-05-6-2");
	assert_string_equal(names.names.at[3], "2026-01-02T03-04-05-6");
}

static void a_missing_results_directory_is_absent(void **state)
{
	struct scratch *s = *state;
	_cleanup_result_names_ struct result_names names = { 0 };

	assert_error_tag(result_dir_records(s->file, &names), "absent");
	assert_error_tag(result_dir_runs(s->file, &names), "absent");
	assert_error_tag(result_dir_sweep(s->file), "absent");
}

static void a_sweep_removes_unheld_locks(void **state)
{
	struct scratch *s = *state;
	_cleanup_close_ int held = -1;

	touch(s, "a.ktstr.json");
	touch(s, "a.ktstr.json.lock");
	touch(s, "t.ktstr.json.lock");
	touch(s, "other.lock");
	held = open(s->lock, O_RDWR);
	assert_int_equal(flock(held, LOCK_EX), 0);
	assert_success(result_dir_sweep(s->dir));
	assert_true(is_there(s, "a.ktstr.json"));
	assert_false(is_there(s, "a.ktstr.json.lock"));
	assert_true(is_there(s, "t.ktstr.json.lock"));
	assert_true(is_there(s, "other.lock"));
}

static void a_sweep_removes_temporary_files_of_the_dead(void **state)
{
	struct scratch *s = *state;
	_cleanup_free_ char *ours = xasprintf(".ktstr-%d-0", getpid());
	_cleanup_free_ char *dead = NULL;
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	dead = xasprintf(".ktstr-%d-7", pid);
	touch(s, ours);
	touch(s, dead);
	touch(s, ".ktstr-aB3xYz");
	touch(s, ".ktstr-99999999999999999999-1");
	touch(s, ".ktstr--1-1");
	assert_success(result_dir_sweep(s->dir));
	assert_false(is_there(s, dead));
	assert_true(is_there(s, ours));
	assert_true(is_there(s, ".ktstr-aB3xYz"));
	assert_true(is_there(s, ".ktstr-99999999999999999999-1"));
	assert_true(is_there(s, ".ktstr--1-1"));
}

#define dir_test(name) cmocka_unit_test_setup_teardown(name, make_scratch, empty_scratch)

int main(void)
{
	const struct CMUnitTest tests[] = {
		dir_test(every_run_gets_its_own_directory),
		dir_test(a_base_that_is_a_file_is_an_error),
		dir_test(records_are_listed_by_name_and_nothing_else),
		dir_test(runs_with_a_chosen_name_are_listed),
		dir_test(runs_are_listed_the_newest_first),
		dir_test(a_missing_results_directory_is_absent),
		dir_test(a_sweep_removes_unheld_locks),
		dir_test(a_sweep_removes_temporary_files_of_the_dead),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
