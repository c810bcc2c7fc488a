// SPDX-License-Identifier: GPL-2.0-or-later
#include "result/new_file.h"

#include <pthread.h>
#include <sys/file.h>
#include <time.h>

#include "base/clock.h"
#include "base/io.h"
#include "scratch.h"

static const enum result_new_file_way ways[] = { RESULT_NEW_FILE_UNNAMED, RESULT_NEW_FILE_HARD_LINK,
						 RESULT_NEW_FILE_NO_REPLACE };

static void assert_holds(const char *path, const char *expected)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	assert_success(io_read_file(path, 100, &text));
	assert_string_equal(strbuf_str(&text), expected);
}

static void the_file_appears_whole_and_alone(void **state)
{
	struct scratch *s = *state;

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		struct result_new_file file;
		struct stat st;

		assert_success(result_new_file_init(&file, s->dir, ways[i], "text", 4));
		assert_int_equal(access(s->file, F_OK), -1);
		assert_success(result_new_file_publish(&file, s->file));
		result_new_file_deinit(&file);
		assert_holds(s->file, "text");
		assert_int_equal(count_entries(s->dir), 1);
		assert_int_equal(stat(s->file, &st), 0);
		assert_int_equal(st.st_nlink, 1);
		assert_int_equal(unlink(s->file), 0);
	}
}

static void a_name_that_is_taken_is_not_replaced(void **state)
{
	struct scratch *s = *state;
	_cleanup_free_ char *other = xasprintf("%s/other", s->dir);

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		_cleanup_error_ struct error *err = NULL;
		struct result_new_file first, second;

		assert_success(result_new_file_init(&first, s->dir, ways[i], "first", 5));
		assert_success(result_new_file_init(&second, s->dir, ways[i], "second", 6));
		assert_success(result_new_file_publish(&first, s->file));
		err = result_new_file_publish(&second, s->file);
		assert_non_null(err);
		assert_int_equal(error_errno(err), EEXIST);
		assert_holds(s->file, "first");
		/* It can still have another. */
		assert_success(result_new_file_publish(&second, other));
		assert_holds(other, "second");
		result_new_file_deinit(&first);
		result_new_file_deinit(&second);
		assert_int_equal(count_entries(s->dir), 2);
		assert_int_equal(unlink(s->file), 0);
		assert_int_equal(unlink(other), 0);
	}
}

static void an_unpublished_file_leaves_nothing(void **state)
{
	struct scratch *s = *state;

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		struct result_new_file file;

		assert_success(result_new_file_init(&file, s->dir, ways[i], "text", 4));
		result_new_file_deinit(&file);
		assert_int_equal(count_entries(s->dir), 0);
	}
}

static void a_file_is_replaced_with_its_mode_kept(void **state)
{
	struct scratch *s = *state;

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		struct result_new_file first, second;
		struct stat st;

		assert_success(result_new_file_init(&first, s->dir, ways[i], "first", 5));
		assert_success(result_new_file_publish(&first, s->file));
		assert_int_equal(chmod(s->file, 0604), 0);
		assert_success(result_new_file_init(&second, s->dir, ways[i], "second", 6));
		assert_holds(s->file, "first");
		assert_success(result_new_file_replace(&second, s->file));
		result_new_file_deinit(&first);
		result_new_file_deinit(&second);
		assert_holds(s->file, "second");
		assert_int_equal(stat(s->file, &st), 0);
		assert_int_equal(st.st_mode & 07777, 0604);
		assert_int_equal(count_entries(s->dir), 1);
		assert_int_equal(unlink(s->file), 0);
	}
}

static void replacing_a_missing_file_fails(void **state)
{
	struct scratch *s = *state;

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		struct result_new_file file;

		assert_success(result_new_file_init(&file, s->dir, ways[i], "text", 4));
		assert_error_tag(result_new_file_replace(&file, s->file), "io");
		result_new_file_deinit(&file);
		assert_int_equal(count_entries(s->dir), 0);
	}
}

static void a_missing_directory_is_an_error(void **state)
{
	struct scratch *s = *state;

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		struct result_new_file file;

		assert_error_tag(result_new_file_init(&file, s->file, ways[i], "text", 4), "io");
		result_new_file_deinit(&file);
	}
}

static int hold(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600);

	assert_true(fd >= 0);
	assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
	return fd;
}

static void a_free_lock_is_taken_at_once_and_stays_as_a_file(void **state)
{
	struct scratch *s = *state;
	_cleanup_close_ int other = -1;
	struct stat st;
	int fd = -1;

	assert_success(result_lock_acquire(s->lock, 0, NULL, &fd));
	other = open(s->lock, O_RDWR | O_CLOEXEC);
	assert_true(other >= 0);
	assert_int_not_equal(flock(other, LOCK_SH | LOCK_NB), 0);
	close(fd);
	assert_int_equal(stat(s->lock, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_success(result_lock_acquire(s->lock, 0, NULL, &fd));
	close(fd);
}

/* Who may write the file may lock it, whoever came first. */
static void a_new_lock_file_gets_the_owner_of_its_file(void **state)
{
	static const struct {
		mode_t file, lock;
	} rows[] = { { 0644, 0600 }, { 0640, 0600 }, { 0664, 0660 }, { 0666, 0666 } };
	struct scratch *s = *state;
	bool is_root = geteuid() == 0;
	struct stat st;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_free_ char *file = strndup(s->lock, strlen(s->lock) - strlen(".lock"));
		_cleanup_close_ int made = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		int fd = -1;

		unlink(s->lock);
		assert_int_equal(fchmod(made, rows[i].file), 0);
		if (is_root)
			assert_int_equal(fchown(made, 12345, 54321), 0);
		assert_success(result_lock_acquire(s->lock, 0, NULL, &fd));
		assert_int_equal(fstat(fd, &st), 0);
		close(fd);
		assert_int_equal(st.st_mode & 07777, rows[i].lock);
		assert_int_equal(st.st_uid, is_root ? 12345 : geteuid());
		unlink(file);
	}
}

static void a_held_lock_ends_the_wait_with_the_budget(void **state)
{
	struct scratch *s = *state;
	_cleanup_close_ int held = hold(s->lock);
	uint64_t start_ns = clock_monotonic_ns(), took_ns;
	_cleanup_error_ struct error *err = NULL;
	int fd = 77;

	err = result_lock_acquire(s->lock, 120 * NS_PER_MS, NULL, &fd);
	took_ns = clock_monotonic_ns() - start_ns;
	assert_true(error_is(err, &base_error_domain, BASE_LIMIT));
	assert_contains(error_message(err), s->lock);
	assert_contains(error_message(err), "120 ms");
	assert_contains(error_message(err), "fuser");
	assert_contains(error_message(err), "lslocks");
	assert_true(took_ns >= 120 * NS_PER_MS);
	assert_true(took_ns < 10 * NS_PER_SEC);
	assert_int_equal(fd, 77);
}

/* How many descriptors of ours are of this file. */
static size_t n_open(const char *path)
{
	struct stat wanted, st;
	size_t n = 0;

	assert_int_equal(stat(path, &wanted), 0);
	/* By name: to the thread sanitizer fstat() of another thread's descriptor is a race. */
	for (int fd = 0; fd < 256; fd++) {
		char name[32];

		snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
		n += stat(name, &st) == 0 && st.st_ino == wanted.st_ino &&
		     st.st_dev == wanted.st_dev;
	}
	return n;
}

struct held {
	const char *path;
	int fd;
};

/* Once somebody else has it open and finds it locked. */
static void *release_when_wanted(void *context)
{
	struct timespec moment = { .tv_nsec = 1000 * 1000 };
	struct held *held = context;

	while (n_open(held->path) < 2)
		nanosleep(&moment, NULL);
	close(held->fd);
	return NULL;
}

static void a_lock_that_becomes_free_is_taken(void **state)
{
	struct scratch *s = *state;
	struct held held = { s->lock, hold(s->lock) };
	pthread_t thread;
	int fd = -1;

	assert_int_equal(pthread_create(&thread, NULL, release_when_wanted, &held), 0);
	assert_success(result_lock_acquire(s->lock, 20 * NS_PER_SEC, NULL, &fd));
	pthread_join(thread, NULL);
	close(fd);
}

static void a_request_to_stop_comes_before_the_lock(void **state)
{
	struct scratch *s = *state;
	struct cancel cancel = { 0 };
	_cleanup_error_ struct error *err = NULL;
	int fd = 77;

	cancel_request(&cancel);
	err = result_lock_acquire(s->lock, NS_PER_SEC, &cancel, &fd);
	assert_true(error_is(err, &base_error_domain, BASE_CANCELLED));
	assert_contains(error_message(err), "aborted");
	assert_contains(error_message(err), "flock(LOCK_EX)");
	assert_int_equal(fd, 77);
}

static void the_deadline_ends_the_wait(void **state)
{
	struct scratch *s = *state;
	_cleanup_close_ int held = hold(s->lock);
	uint64_t start_ns = clock_monotonic_ns();
	struct cancel cancel = { .deadline_ns = start_ns + 100 * NS_PER_MS };
	int fd = -1;

	assert_error_tag(result_lock_acquire(s->lock, 60 * NS_PER_SEC, &cancel, &fd), "cancelled");
	assert_true(clock_monotonic_ns() - start_ns < 10 * NS_PER_SEC);
}

/* Removes the lock file while somebody waits for it, then lets the old one go. */
static void *remove_and_release(void *argument)
{
	struct timespec moment = { .tv_nsec = 1000 * 1000 };
	struct held *held = argument;

	while (n_open(held->path) < 2)
		nanosleep(&moment, NULL);
	unlink(held->path);
	close(held->fd);
	return NULL;
}

static void a_lock_file_removed_meanwhile_is_made_again(void **state)
{
	struct scratch *s = *state;
	struct held old = { s->lock, hold(s->lock) };
	struct stat held, named;
	pthread_t thread;
	int fd = -1;

	assert_int_equal(pthread_create(&thread, NULL, remove_and_release, &old), 0);
	assert_success(result_lock_acquire(s->lock, 20 * NS_PER_SEC, NULL, &fd));
	pthread_join(thread, NULL);
	assert_int_equal(fstat(fd, &held), 0);
	assert_int_equal(stat(s->lock, &named), 0);
	assert_true(held.st_ino == named.st_ino);
	close(fd);
}

static void a_lock_file_that_is_a_link_is_refused(void **state)
{
	struct scratch *s = *state;
	_cleanup_error_ struct error *err = NULL;
	int fd = -1;

	assert_int_equal(symlink(s->file, s->lock), 0);
	err = result_lock_acquire(s->lock, 0, NULL, &fd);
	assert_int_equal(error_errno(err), ELOOP);
	assert_int_equal(access(s->file, F_OK), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(the_file_appears_whole_and_alone),
		scratch_test(a_name_that_is_taken_is_not_replaced),
		scratch_test(an_unpublished_file_leaves_nothing),
		scratch_test(a_file_is_replaced_with_its_mode_kept),
		scratch_test(replacing_a_missing_file_fails),
		scratch_test(a_missing_directory_is_an_error),
		scratch_test(a_free_lock_is_taken_at_once_and_stays_as_a_file),
		scratch_test(a_new_lock_file_gets_the_owner_of_its_file),
		scratch_test(a_held_lock_ends_the_wait_with_the_budget),
		scratch_test(a_lock_that_becomes_free_is_taken),
		scratch_test(a_request_to_stop_comes_before_the_lock),
		scratch_test(the_deadline_ends_the_wait),
		scratch_test(a_lock_file_removed_meanwhile_is_made_again),
		scratch_test(a_lock_file_that_is_a_link_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
