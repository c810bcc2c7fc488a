// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/results/results.h"

#include <sys/stat.h>
#include <unistd.h>

#include "dir.h"
#include "procfs/task.h"

static void every_file_has_its_place_failures_first(void **state)
{
	_cleanup_shown_dir_ struct shown_dir directory = { 0 };
	static const struct {
		const char *file, *word, *why;
	} rows[] = {
		{ "g.ktstr.json", "fail", "check: 31 %" },
		{ "g-2.ktstr.json", "fail", "check: 33 %" },
		{ "g-10.ktstr.json", "fail", "check: 32 %" },
		{ "f.ktstr.json", "broken", "boot" },
		{ "e.ktstr.json", "unreadable", "not JSON" },
		{ "d.ktstr.json", "unfinished", "its runner ended before it did" },
		{ "c.ktstr.json", "inconclusive", "host-busy: busy" },
		{ "b.ktstr.json", "skip", "needs-sched-ext: no sched_ext" },
		{ "a.ktstr.json", "pass", "" },
	};

	put_every_kind(*state);
	assert_success(shown_dir_read(*state, &directory));
	assert_string_equal(directory.dir, *state);
	assert_int_equal(directory.records.n, ARRAY_SIZE(rows));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct shown_record *record = &directory.records.at[i];

		assert_string_equal(record->file, rows[i].file);
		assert_string_equal(shown_states[record->state].name, rows[i].word);
		assert_int_equal(strncmp(record->why, rows[i].why, strlen(rows[i].why)), 0);
	}
	assert_int_equal(directory.counts[SHOWN_FAIL], 3);
	for (int s = SHOWN_BROKEN; s < N_SHOWN_STATES; s++)
		assert_int_equal(directory.counts[s], 1);
}

static void what_cannot_be_opened_is_unreadable_not_left_out(void **state)
{
	_cleanup_shown_dir_ struct shown_dir directory = { 0 };
	_cleanup_free_ char *link = xasprintf("%s/x.ktstr.json", (char *)*state);
	_cleanup_free_ char *dir = xasprintf("%s/y.ktstr.json", (char *)*state);

	assert_int_equal(symlink("nowhere", link), 0);
	assert_int_equal(mkdir(dir, 0700), 0);
	assert_success(shown_dir_read(*state, &directory));
	assert_int_equal(directory.counts[SHOWN_UNREADABLE], 2);
	assert_contains(directory.records.at[0].why, "No such file");
	assert_contains(directory.records.at[1].why, "not a regular file");
}

static void a_running_run_differs_from_one_whose_runner_died(void **state)
{
	struct procfs_stat stat;
	static const struct {
		int jiffies_off;
		const char *why;
	} rows[] = {
		{ 0, "it is running now" },
		/* Another process got the number. */
		{ 1, "its runner ended" },
	};

	assert_success(procfs_stat_read("/proc", getpid(), &stat));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_shown_dir_ struct shown_dir directory = { 0 };
		_cleanup_free_ char *text = xasprintf(
			RECORD("d", "started",
			       ",\"runner\":{\"pid\":%d,\"start_time_jiffies\":%llu}"),
			getpid(),
			(unsigned long long)stat.start_time_jiffies +
				(unsigned int)rows[i].jiffies_off);

		put_record(*state, "d.ktstr.json", text);
		assert_success(shown_dir_read(*state, &directory));
		assert_int_equal(directory.records.n, 1);
		assert_contains(directory.records.at[0].why, rows[i].why);
	}
}

static void a_single_record_is_shown_like_a_directory_of_one(void **state)
{
	_cleanup_shown_dir_ struct shown_dir directory = { 0 };
	_cleanup_free_ char *path = xasprintf("%s/b.ktstr.json", (char *)*state);

	put_every_kind(*state);
	shown_file_read(path, &directory);
	assert_string_equal(directory.dir, *state);
	assert_int_equal(directory.records.n, 1);
	assert_string_equal(directory.records.at[0].run.test, "b");
	assert_int_equal(directory.counts[SHOWN_SKIP], 1);
}

static void a_missing_directory_is_an_error(void **state UNUSED)
{
	struct shown_dir directory = { 0 };

	assert_error_tag(shown_dir_read("/nonexistent", &directory), "absent");
	assert_null(directory.dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		dir_test(every_file_has_its_place_failures_first),
		dir_test(what_cannot_be_opened_is_unreadable_not_left_out),
		dir_test(a_running_run_differs_from_one_whose_runner_died),
		dir_test(a_single_record_is_shown_like_a_directory_of_one),
		cmocka_unit_test(a_missing_directory_is_an_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
