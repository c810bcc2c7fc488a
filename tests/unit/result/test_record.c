// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include <sched.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/io.h"
#include "result/limits.h"
#include "result/record.h"
#include "sample.h"
#include "scratch.h"

#define EMPTY_RECORD \
	"{\n  \"test_name\": \"t\",\n  \"big\": 18446744073709551615,\n  \"metrics\": []\n}\n"

enum { NOBODY = 65534 };

static void put(const char *path, const char *text)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_true(fd >= 0);
	assert_success(io_write_all(fd, path, text, strlen(text)));
}

/* Of the last append. */
static struct error *warning;

/* Whether the directory can be synced. */
static bool sync_fails;

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __wrap_fsync(int fd)
{
	struct stat st;

	if (sync_fails && fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
		errno = EIO;
		return -1;
	}
	return __real_fsync(fd);
}

static struct error *append(const char *path, int exit_code)
{
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	struct result_append what = sample_append(exit_code, &doc);

	error_free(warning);
	warning = NULL;
	return result_append_metrics(path, &what, NULL, &warning);
}

static void assert_content(const char *path, const char *expected)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	assert_success(io_read_file(path, 1 << 20, &text));
	assert_string_equal(strbuf_str(&text), expected);
}

/* Number of entries; each must carry its own place as its index. */
static size_t entries_of(const char *path)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	struct json_iter it;
	size_t n = 0;

	assert_success(io_read_file(path, RESULT_LIMIT_RECORD_BYTES, &text));
	assert_success(json_doc_parse(text.at, text.n, path, &doc));
	it = json_iter_over(json_find(json_doc_root(doc), "metrics"));
	while (json_iter_next(&it)) {
		uint64_t index;

		assert_true(json_get_u64(json_find(it.value, "payload_index"), &index));
		assert_int_equal(index, n++);
		assert_int_equal(json_length(json_find(it.value, "metrics")), SAMPLE_LEAVES);
	}
	assert_true(json_text_is(json_number_text(json_find(json_doc_root(doc), "big")),
				 "18446744073709551615"));
	return n;
}

static void appending_leaves_record_and_lock_and_nothing_else(void **state)
{
	struct scratch *s = *state;
	struct stat st;

	put(s->file, EMPTY_RECORD);
	chmod(s->file, 0640);
	assert_success(append(s->file, 0));
	assert_success(append(s->file, 1));
	assert_int_equal(entries_of(s->file), 2);
	assert_int_equal(count_entries(s->dir), 2);
	assert_int_equal(access(s->lock, F_OK), 0);
	assert_int_equal(stat(s->file, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
}

/* The entry is in: whoever is told of a failure would add it again. */
static void a_failed_directory_fsync_is_a_warning(void **state)
{
	struct scratch *s = *state;

	put(s->file, EMPTY_RECORD);
	sync_fails = true;
	assert_success(append(s->file, 0));
	sync_fails = false;
	assert_non_null(warning);
	assert_contains(error_message(warning), "is replaced");
	assert_int_equal(entries_of(s->file), 1);
	assert_success(append(s->file, 1));
	assert_null(warning);
	assert_int_equal(entries_of(s->file), 2);
}

static void a_missing_record_says_what_to_do_and_leaves_no_lock(void **state)
{
	struct scratch *s = *state;
	_cleanup_error_ struct error *err = append(s->file, 0);
	_cleanup_error_ struct error *check = result_record_exists(s->file);

	assert_true(error_is(err, &base_error_domain, BASE_ABSENT));
	assert_contains(error_message(err), "sidecar file not found");
	assert_contains(error_message(err), "run the test first");
	assert_contains(error_message(err), "--sidecar");
	assert_contains(error_message(err), s->file);
	assert_true(error_is(check, &base_error_domain, BASE_ABSENT));
	assert_string_equal(error_message(check), error_message(err));
	assert_int_equal(count_entries(s->dir), 0);
}

static void an_existing_record_passes_the_check(void **state)
{
	struct scratch *s = *state;
	_cleanup_free_ char *below = xasprintf("%s/x", s->file);

	put(s->file, "");
	assert_success(result_record_exists(s->file));
	assert_error_tag(result_record_exists(below), "absent");
}

static void appending_to_a_malformed_record_leaves_it(void **state)
{
	struct scratch *s = *state;

	put(s->file, "{ this is not valid json }");
	assert_error_tag(append(s->file, 0), "parse");
	assert_content(s->file, "{ this is not valid json }");
	assert_int_equal(count_entries(s->dir), 2);
}

static void a_directory_or_pipe_is_refused_without_blocking(void **state)
{
	struct scratch *s = *state;

	assert_error_tag(append(s->dir, 0), "io");
	assert_int_equal(mkfifo(s->file, 0600), 0);
	assert_error_tag(append(s->file, 0), "io");
	assert_int_equal(count_entries(s->dir), 1);
}

static void a_link_is_followed_and_stays(void **state)
{
	struct scratch *s = *state;
	_cleanup_free_ char *link_path = xasprintf("%s/link", s->dir);
	_cleanup_free_ char *link_lock = xasprintf("%s/link.lock", s->dir);
	struct stat st;

	put(s->file, EMPTY_RECORD);
	assert_int_equal(symlink("t.ktstr.json", link_path), 0);
	assert_success(append(link_path, 0));
	assert_int_equal(entries_of(s->file), 1);
	assert_int_equal(lstat(link_path, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	/* One lock for both names. */
	assert_int_equal(access(s->lock, F_OK), 0);
	assert_int_equal(access(link_lock, F_OK), -1);
}

static void a_request_to_stop_changes_nothing(void **state)
{
	struct scratch *s = *state;
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	struct result_append what = sample_append(0, &doc);
	struct cancel cancel = { .deadline_ns = clock_monotonic_ns() + 100 * NS_PER_MS };
	_cleanup_error_ struct error *err = NULL;
	_cleanup_close_ int held = open(s->lock, O_RDWR | O_CREAT, 0600);

	put(s->file, EMPTY_RECORD);
	assert_int_equal(flock(held, LOCK_EX), 0);
	err = result_append_metrics(s->file, &what, &cancel, &warning);
	assert_true(error_is(err, &base_error_domain, BASE_CANCELLED));
	assert_contains(error_message(err), "aborted");
	assert_content(s->file, EMPTY_RECORD);
}

static int append_refused_as_nobody(void *file)
{
	struct error *err;

	if (geteuid() == 0 && (setgid(NOBODY) < 0 || setuid(NOBODY) < 0))
		return 2;
	err = append(file, 0);
	return error_is(err, &base_error_domain, BASE_IO) && error_errno(err) == EACCES &&
			       strstr(error_message(err), file)
		       ? 0
		       : 1;
}

static void an_unreadable_record_is_an_error(void **state)
{
	struct scratch *s = *state;

	put(s->file, EMPTY_RECORD);
	chmod(s->file, 0);
	chmod(s->dir, 0777);
	assert_int_equal(in_child(append_refused_as_nobody, s->file), 0);
	chmod(s->file, 0644);
	assert_content(s->file, EMPTY_RECORD);
}

static void a_directory_that_cannot_be_written_is_an_error(void **state)
{
	struct scratch *s = *state;

	put(s->file, EMPTY_RECORD);
	chmod(s->dir, 0555);
	assert_int_equal(in_child(append_refused_as_nobody, s->file), 0);
	assert_content(s->file, EMPTY_RECORD);
	assert_int_equal(count_entries(s->dir), 1);
}

static void a_full_disk_loses_nothing(void **state)
{
	struct scratch *s = *state;
	_cleanup_strbuf_ struct strbuf record = STRBUF_INIT;
	_cleanup_error_ struct error *err = NULL;

	skip_unless(unshare(CLONE_NEWNS) == 0 &&
			    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
			    mount("ktstr-test", s->dir, "tmpfs", 0, "size=64k") == 0,
		    "a small tmpfs needs privilege: %s", strerror(errno));
	strbuf_append(&record, "{\"metrics\":[],\"fill\":\"");
	strbuf_append_repeated(&record, 'x', 40000);
	strbuf_append(&record, "\"}");
	put(s->file, strbuf_str(&record));
	err = append(s->file, 0);
	assert_non_null(err);
	assert_int_equal(error_errno(err), ENOSPC);
	assert_content(s->file, strbuf_str(&record));
	assert_int_equal(count_entries(s->dir), 2);
	assert_int_equal(umount(s->dir), 0);
}

enum { WRITERS = 8, ROUNDS = 5 };

static int append_rounds(void *file)
{
	for (int i = 0; i < ROUNDS; i++) {
		_cleanup_error_ struct error *err = append(file, 0);

		if (err)
			return 1;
	}
	return 0;
}

static void eight_writers_lose_no_entry(void **state)
{
	struct scratch *s = *state;

	put(s->file, EMPTY_RECORD);
	for (int i = 0; i < WRITERS; i++) {
		if (fork() == 0)
			_exit(append_rounds(s->file));
	}
	for (int i = 0; i < WRITERS; i++) {
		int status;

		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	assert_int_equal(entries_of(s->file), WRITERS * ROUNDS);
	assert_int_equal(count_entries(s->dir), 2);
}

static int append_once(void *file)
{
	return append(file, 0) ? 1 : 0;
}

static void a_writer_killed_at_any_moment_leaves_a_whole_record(void **state)
{
	struct scratch *s = *state;
	uint64_t start_ns = clock_monotonic_ns();
	double span_ns;
	size_t n = 1, killed_before = 0;

	put(s->file, EMPTY_RECORD);
	assert_int_equal(in_child(append_once, s->file), 0);
	span_ns = (double)(clock_monotonic_ns() - start_ns);
	srand48((long)start_ns);
	for (int round = 0; round < 30; round++) {
		uint64_t delay_ns = (uint64_t)(drand48() * span_ns);
		struct timespec delay = { (time_t)(delay_ns / NS_PER_SEC),
					  (long)(delay_ns % NS_PER_SEC) };
		pid_t pid = fork();
		size_t now;

		if (pid == 0)
			_exit(append_once(s->file));
		nanosleep(&delay, NULL);
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		now = entries_of(s->file);
		assert_in_range(now, n, n + 1);
		killed_before += now == n;
		/* However busy the machine is, about half of the writers die too early. */
		span_ns *= now == n ? 1.25 : 0.8;
		n = now;
	}
	print_message("# killed before the rename in %zu of 30 rounds\n", killed_before);
	/* The dead left no lock held. */
	assert_success(append(s->file, 0));
	assert_int_equal(entries_of(s->file), n + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(appending_leaves_record_and_lock_and_nothing_else),
		scratch_test(a_failed_directory_fsync_is_a_warning),
		scratch_test(a_missing_record_says_what_to_do_and_leaves_no_lock),
		scratch_test(an_existing_record_passes_the_check),
		scratch_test(appending_to_a_malformed_record_leaves_it),
		scratch_test(a_directory_or_pipe_is_refused_without_blocking),
		scratch_test(a_link_is_followed_and_stays),
		scratch_test(a_request_to_stop_changes_nothing),
		scratch_test(an_unreadable_record_is_an_error),
		scratch_test(a_directory_that_cannot_be_written_is_an_error),
		scratch_test(a_full_disk_loses_nothing),
		scratch_test(eight_writers_lose_no_entry),
		scratch_test(a_writer_killed_at_any_moment_leaves_a_whole_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
