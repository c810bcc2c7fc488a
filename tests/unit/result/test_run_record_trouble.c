// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include <sched.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <time.h>

#include "base/clock.h"
#include "begun_record.h"
#include "result/frames.h"
#include "result/run_dir.h"

static void put(const char *path, const char *text)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_true(fd >= 0);
	assert_success(io_write_all(fd, path, text, strlen(text)));
}

static void a_removed_record_is_written_under_a_new_name(void **state)
{
	struct scratch *s = *state;
	_cleanup_result_run_record_ struct result_record *record = begin_in(s->dir), *other = NULL;
	_cleanup_error_ struct error *problem = NULL;
	_cleanup_loaded_ struct loaded l;
	_cleanup_free_ char *two = below(s, SAMPLE_STEM "-2.ktstr.json");

	assert_int_equal(unlink(result_record_path(record)), 0);
	/* Another run of the variant takes the name that became free. */
	other = begin_in(s->dir);
	assert_success(finish(record, KTSTR_REASON_CHECK, &problem));
	assert_error_tag(take_ptr(problem), "parse");
	assert_string_equal(result_record_path(record), two);
	assert_state(result_record_path(other), "started");
	assert_member(load(&l, two), "state", "finished");
	assert_contains(strbuf_str(&l.text), "no longer the record of this run");
	assert_int_equal(count_entries(s->dir), 2);
}

static void a_removed_run_directory_is_created_again(void **state)
{
	struct scratch *s = *state;
	_cleanup_free_ char *dir = below(s, "run");
	_cleanup_result_run_record_ struct result_record *record = begin_in(dir);
	_cleanup_error_ struct error *problem = NULL;

	assert_int_equal(unlink(result_record_path(record)), 0);
	assert_int_equal(rmdir(dir), 0);
	assert_success(finish(record, KTSTR_REASON_NONE, &problem));
	assert_non_null(problem);
	assert_true(error_is(problem, &base_error_domain, BASE_ABSENT));
	assert_contains(error_message(problem), "was removed during the run");
	assert_state(result_record_path(record), "finished");
	assert_int_equal(count_entries(dir), 1);
	assert_int_equal(unlink(result_record_path(record)), 0);
	assert_int_equal(rmdir(dir), 0);
}

static void a_file_in_place_of_the_run_directory_is_an_error(void **state)
{
	struct scratch *s = *state;
	_cleanup_free_ char *dir = below(s, "run");
	_cleanup_result_run_record_ struct result_record *record = begin_in(dir);
	_cleanup_error_ struct error *err = NULL;
	struct error *problem = NULL;

	assert_int_equal(unlink(result_record_path(record)), 0);
	assert_int_equal(rmdir(dir), 0);
	put(dir, "");
	err = finish(record, KTSTR_REASON_NONE, &problem);
	assert_non_null(err);
	assert_null(problem);
	assert_contains(error_message(err), "not recorded");
	assert_contains(error_message(err), "removed during the run");
}

static void a_damaged_record_is_kept_and_the_result_gets_a_new_name(void **state)
{
	struct scratch *s = *state;
	static const char *const damages[] = {
		"", "{ \"run_id\": ", "[]", "{}", "{ \"run_id\": \"another\", \"metrics\": [] }",
	};

	for (size_t i = 0; i < ARRAY_SIZE(damages); i++) {
		_cleanup_result_run_record_ struct result_record *record = begin_in(s->dir);
		_cleanup_free_ char *first = xstrdup(result_record_path(record));
		_cleanup_error_ struct error *problem = NULL;
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

		put(first, damages[i]);
		assert_success(finish(record, KTSTR_REASON_NONE, &problem));
		assert_non_null(problem);
		assert_string_not_equal(result_record_path(record), first);
		assert_state(result_record_path(record), "finished");
		assert_success(io_read_file(first, 100, &text));
		assert_string_equal(strbuf_str(&text), damages[i]);
	}
	assert_int_equal(count_entries(s->dir), 2 * ARRAY_SIZE(damages));
}

static void a_held_lock_does_not_lose_the_result(void **state)
{
	struct scratch *s = *state;
	_cleanup_result_run_record_ struct result_record *record = begin_in(s->dir);
	_cleanup_free_ char *lock = xasprintf("%s.lock", result_record_path(record));
	_cleanup_free_ char *first = xstrdup(result_record_path(record));
	_cleanup_close_ int held = open(lock, O_RDWR | O_CREAT, 0600);
	struct cancel cancel = { .deadline_ns = clock_monotonic_ns() + 50 * NS_PER_MS };
	_cleanup_(result_outcome_deinit) struct result_outcome outcome;
	struct result_record_result result = { .outcome = &outcome };
	_cleanup_error_ struct error *problem = NULL;

	sample_outcome(&outcome, KTSTR_REASON_NONE);
	assert_int_equal(flock(held, LOCK_EX), 0);
	assert_success(result_record_finish(record, &result, &cancel, &problem));
	assert_true(error_is(problem, &base_error_domain, BASE_LIMIT));
	assert_state(first, "started");
	assert_state(result_record_path(record), "finished");
	/* The lock is its holder's. */
	assert_int_equal(access(lock, F_OK), 0);
}

static void an_interrupted_run_finishes_its_record_where_it_is(void **state)
{
	struct scratch *s = *state;
	_cleanup_result_run_record_ struct result_record *record = begin_in(s->dir);
	_cleanup_(result_outcome_deinit) struct result_outcome outcome;
	struct result_record_result result = { .outcome = &outcome };
	_cleanup_error_ struct error *problem = NULL;
	struct cancel cancel = { 0 };

	sample_outcome(&outcome, KTSTR_REASON_INTERRUPTED);
	cancel_request(&cancel);
	assert_success(result_record_finish(record, &result, &cancel, &problem));
	assert_null(problem);
	assert_state(result_record_path(record), "finished");
	assert_int_equal(count_entries(s->dir), 1);
}

enum { RUNNERS = 8, ROUNDS = 5 };

static int run_rounds(void *dir)
{
	for (int i = 0; i < ROUNDS; i++) {
		_cleanup_result_run_record_ struct result_record *record = begin_in(dir);

		assert_finished(record);
	}
	return 0;
}

static void eight_runners_get_a_file_each(void **state)
{
	struct scratch *s = *state;
	_cleanup_dir_ DIR *d = NULL;
	struct dirent *entry;
	int finished = 0;

	for (int i = 0; i < RUNNERS; i++) {
		if (fork() == 0)
			_exit(run_rounds(s->dir));
	}
	for (int i = 0; i < RUNNERS; i++) {
		int status;

		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	d = opendir(s->dir);
	while ((entry = readdir(d))) {
		_cleanup_free_ char *path = below(s, entry->d_name);

		if (*entry->d_name == '.')
			continue;
		assert_state(path, "finished");
		finished++;
	}
	assert_int_equal(finished, RUNNERS * ROUNDS);
	assert_int_equal(count_entries(s->dir), RUNNERS * ROUNDS);
}

static int append_rounds(void *path)
{
	for (int i = 0; i < ROUNDS; i++)
		append_probe(path, i);
	return 0;
}

static void nothing_appended_while_it_is_finished_is_lost(void **state)
{
	struct scratch *s = *state;
	_cleanup_result_run_record_ struct result_record *record = begin_in(s->dir);
	_cleanup_free_ char *path = xstrdup(result_record_path(record));
	_cleanup_loaded_ struct loaded l;

	for (int i = 0; i < 4; i++) {
		if (fork() == 0)
			_exit(append_rounds(path));
	}
	assert_finished(record);
	for (int i = 0; i < 4; i++) {
		int status;

		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	assert_string_equal(result_record_path(record), path);
	assert_member(load(&l, path), "state", "finished");
	assert_int_equal(json_length(json_find(json_doc_root(l.doc), "metrics")), 4 * ROUNDS);
}

static void a_runner_killed_in_between_leaves_a_whole_started_record(void **state)
{
	struct scratch *s = *state;
	_cleanup_free_ char *path = below(s, SAMPLE_STEM ".ktstr.json");
	_cleanup_loaded_ struct loaded l;
	int ready[2], status;
	pid_t pid;
	char c;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		begin_in(s->dir);
		(void)!write(ready[1], "x", 1);
		pause();
		_exit(0);
	}
	assert_int_equal(read(ready[0], &c, 1), 1);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	close(ready[0]);
	close(ready[1]);
	assert_member(load(&l, path), "state", "started");
	assert_null(json_find(json_doc_root(l.doc), "passed"));
	assert_int_equal(count_entries(s->dir), 1);
	append_probe(path, 0);
}

static int run_once(void *dir)
{
	_cleanup_result_run_record_ struct result_record *record = begin_in(dir);

	assert_finished(record);
	return 0;
}

static void a_killed_runner_leaves_whole_records_and_sweepable_leftovers(void **state)
{
	struct scratch *s = *state;
	uint64_t start_ns = clock_monotonic_ns(), span_ns;
	_cleanup_result_names_ struct result_names names = { 0 };
	int finished = 0;

	assert_int_equal(in_child(run_once, s->dir), 0);
	span_ns = clock_monotonic_ns() - start_ns;
	srand48((long)start_ns);
	for (int round = 0; round < 40; round++) {
		uint64_t delay_ns = (uint64_t)(drand48() * (double)span_ns);
		struct timespec delay = { (time_t)(delay_ns / NS_PER_SEC),
					  (long)(delay_ns % NS_PER_SEC) };
		pid_t pid = fork();

		if (pid == 0)
			_exit(run_once(s->dir));
		nanosleep(&delay, NULL);
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
	}
	assert_success(result_dir_sweep(s->dir));
	assert_success(result_dir_records(s->dir, &names));
	assert_int_equal(count_entries(s->dir), names.names.n);
	for (size_t i = 0; i < names.names.n; i++) {
		_cleanup_free_ char *path = below(s, names.names.at[i]);
		_cleanup_loaded_ struct loaded l;
		const struct json_value *root = load(&l, path);
		bool is_finished = json_text_is(json_string(json_find(root, "state")), "finished");

		finished += is_finished;
		assert_int_equal(is_finished, json_find(root, "verdict") != NULL);
	}
	print_message("# 41 runs, %zu records, %d finished\n", names.names.n, finished);
	assert_true(finished >= 1);
}

static char *write_frames(const struct result_record *record, const char *dir)
{
	char *path = xstrdup(result_record_path(record));
	struct result_frames none = { 0 };

	/* "x.ktstr.json" becomes "x.frames". */
	strcpy(path + strlen(path) - strlen(RESULT_RECORD_FILE_TAIL), RESULT_FRAMES_FILE_TAIL);
	assert_success(result_frames_write(dir, path, &none));
	return path;
}

static int die_with_frames(void *dir)
{
	_cleanup_result_run_record_ struct result_record *record = begin_in(dir);
	_cleanup_free_ char *path = write_frames(record, dir);

	return 0;
}

static void finish_naming(struct result_record *record, const char *frames_path)
{
	_cleanup_(result_outcome_deinit) struct result_outcome outcome;
	struct result_record_result result = {
		.outcome = &outcome,
		.run.frames_file = strrchr(frames_path, '/') + 1,
	};
	struct error *problem = NULL;

	sample_outcome(&outcome, KTSTR_REASON_NONE);
	assert_success(result_record_finish(record, &result, NULL, &problem));
	assert_null(problem);
}

static void frames_that_no_record_will_name_are_swept(void **state)
{
	struct scratch *s = *state;
	_cleanup_result_run_record_ struct result_record *ours = NULL, *other = NULL;
	_cleanup_free_ char *running = NULL, *left = NULL;
	_cleanup_result_names_ struct result_names names = { 0 };

	assert_int_equal(in_child(die_with_frames, s->dir), 0);
	assert_success(result_dir_records(s->dir, &names));
	assert_int_equal(count_entries(s->dir), 2);
	assert_success(result_dir_sweep(s->dir));
	assert_int_equal(count_entries(s->dir), 1);
	/* Of a runner that lives: it will name them. */
	ours = begin_in(s->dir);
	running = write_frames(ours, s->dir);
	assert_success(result_dir_sweep(s->dir));
	assert_int_equal(access(running, F_OK), 0);
	finish_naming(ours, running);
	assert_success(result_dir_sweep(s->dir));
	assert_int_equal(access(running, F_OK), 0);
	/* Beside an unfinished record, but another one names them. */
	left = below(s, names.names.at[0]);
	strcpy(left + strlen(left) - strlen(RESULT_RECORD_FILE_TAIL), RESULT_FRAMES_FILE_TAIL);
	assert_int_equal(link(running, left), 0);
	other = begin_in(s->dir);
	finish_naming(other, left);
	assert_success(result_dir_sweep(s->dir));
	assert_int_equal(access(left, F_OK), 0);
}

static void a_full_disk_keeps_the_started_record(void **state)
{
	struct scratch *s = *state;
	_cleanup_result_run_record_ struct result_record *record = NULL;
	_cleanup_strbuf_ struct strbuf fill = STRBUF_INIT;
	_cleanup_free_ char *filler = below(s, "fill");
	_cleanup_error_ struct error *err = NULL, *at_begin = NULL;
	struct result_run head = sample_head();
	struct result_record *none = NULL;
	struct error *problem = NULL;
	_cleanup_close_ int fd = -1;

	skip_unless(unshare(CLONE_NEWNS) == 0 &&
			    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
			    mount("ktstr-test", s->dir, "tmpfs", 0, "size=64k") == 0,
		    "a small tmpfs needs privilege: %s", strerror(errno));
	record = begin_in(s->dir);
	fd = open(filler, O_WRONLY | O_CREAT, 0600);
	strbuf_append_repeated(&fill, 'x', 4096);
	while (write(fd, fill.at, fill.n) > 0)
		;
	err = finish(record, KTSTR_REASON_CHECK, &problem);
	assert_non_null(err);
	assert_int_equal(error_errno(err), ENOSPC);
	assert_null(problem);
	assert_state(result_record_path(record), "started");
	at_begin = result_record_begin(s->dir, &head, &none);
	assert_non_null(at_begin);
	assert_int_equal(error_errno(at_begin), ENOSPC);
	assert_null(none);
	/* The record and what fills the disk. */
	assert_int_equal(count_entries(s->dir), 2);
	/* With room again it can still be finished. */
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_finished(record);
	assert_int_equal(umount2(s->dir, MNT_DETACH), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(a_removed_record_is_written_under_a_new_name),
		scratch_test(a_removed_run_directory_is_created_again),
		scratch_test(a_file_in_place_of_the_run_directory_is_an_error),
		scratch_test(a_damaged_record_is_kept_and_the_result_gets_a_new_name),
		scratch_test(a_held_lock_does_not_lose_the_result),
		scratch_test(an_interrupted_run_finishes_its_record_where_it_is),
		scratch_test(eight_runners_get_a_file_each),
		scratch_test(nothing_appended_while_it_is_finished_is_lost),
		scratch_test(a_runner_killed_in_between_leaves_a_whole_started_record),
		scratch_test(a_killed_runner_leaves_whole_records_and_sweepable_leftovers),
		scratch_test(frames_that_no_record_will_name_are_swept),
		scratch_test(a_full_disk_keeps_the_started_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
