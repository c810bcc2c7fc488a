// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/file/file.h"

#include <pthread.h>
#include <sys/stat.h>

#include "files.h"
#include "foreign_snapshot.h"
#include "json/doc.h"

enum { MANY = 4000, NAME_BYTES = 20000 };

struct file {
	char path[64];
	int fd;
};

static int with_file(void **state)
{
	struct file *file = xnew(struct file);

	strcpy(file->path, "/tmp/ktstr-load-XXXXXX");
	file->fd = mkstemp(file->path);
	assert_true(file->fd >= 0);
	*state = file;
	return 0;
}

static int without_file(void **state)
{
	struct file *file = *state;

	unlink(file->path);
	close(file->fd);
	free(file);
	return 0;
}

static void add_bytes(const struct file *file, const void *bytes, size_t n)
{
	assert_int_equal(write(file->fd, bytes, n), n);
}

/* Another tool's compressor: one call, no checksum. */
static void add_text(const struct file *file, const char *text)
{
	size_t size = ZSTD_compressBound(strlen(text));
	_cleanup_free_ char *packed = xcalloc(1, size);
	size_t n = ZSTD_compress(packed, size, text, strlen(text), 3);

	add_bytes(file, packed, n);
}

static void add_numbered(const struct file *file, int n)
{
	_cleanup_free_ char *text = xasprintf("{\"captured_at_unix_ns\":%d,\"threads\":[]}", n);

	add_text(file, text);
}

static struct error *load_at(const struct file *file, const char *at, struct ctprof_snapshot *ret,
			     struct ctprof_snapshot_origin *ret_origin)
{
	_cleanup_free_ char *name = xasprintf("%s%s", file->path, at);

	return ctprof_snapshot_load(name, NULL, ret, ret_origin);
}

static void assert_fails(const struct file *file, const char *at, const char *tag,
			 const char *message)
{
	struct ctprof_snapshot s;
	struct error *err = load_at(file, at, &s, NULL);

	assert_non_null(err);
	assert_string_equal(error_tag(err), tag);
	assert_contains(error_message(err), message);
	error_free(err);
}

static void a_file_of_another_tool_loads(void **state)
{
	_cleanup_ctprof_snapshot_origin_ struct ctprof_snapshot_origin origin = { 0 };
	const struct file *file = *state;
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s = { 0 };

	add_text(file, foreign_snapshot);
	assert_success(load_at(file, "", &s, &origin));
	assert_int_equal(s.threads.n, 2);
	assert_int_equal(origin.frame, 1);
	assert_int_equal(origin.frames, 1);
	assert_int_equal(origin.torn_bytes, 0);
	assert_string_equal(origin.path, file->path);
}

static void at_number_selects_a_snapshot_of_a_series(void **state)
{
	static const struct {
		const char *at;
		uint64_t captured, frame;
	} rows[] = { { "", 10, 1 }, { "@1", 10, 1 }, { "@2", 20, 2 }, { "@03", 30, 3 } };
	const struct file *file = *state;

	for (int i = 1; i <= 3; i++)
		add_numbered(file, 10 * i);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_ctprof_snapshot_origin_ struct ctprof_snapshot_origin origin = { 0 };
		_cleanup_ctprof_snapshot_ struct ctprof_snapshot s = { 0 };

		assert_success(load_at(file, rows[i].at, &s, &origin));
		assert_int_equal(s.captured_at_unix_ns, rows[i].captured);
		assert_int_equal(origin.frame, rows[i].frame);
		assert_int_equal(origin.frames, 3);
	}
	assert_fails(file, "@4", "absent", "has 3 snapshots and no @4");
	assert_fails(file, "@0", "absent", "count from @1");
	assert_fails(file, "@99999999999999999999", "absent", "count from @1");
	assert_fails(file, "@x", "io", "open");
	assert_fails(file, "@", "io", "open");
}

static void a_file_with_the_whole_name_comes_first(void **state)
{
	const struct file *file = *state;
	_cleanup_free_ char *other = xasprintf("%s@2", file->path);
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s = { 0 };
	struct file second = { .fd = open(other, O_RDWR | O_CREAT | O_EXCL, 0600) };

	add_numbered(file, 1);
	add_numbered(file, 2);
	add_numbered(&second, 99);
	assert_success(load_at(file, "@2", &s, NULL));
	assert_int_equal(s.captured_at_unix_ns, 99);
	unlink(other);
	close(second.fd);
}

static void an_incomplete_last_snapshot_is_reported_and_skipped(void **state)
{
	_cleanup_ctprof_snapshot_origin_ struct ctprof_snapshot_origin origin = { 0 };
	const struct file *file = *state;
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s = { 0 };
	struct stat st;

	add_numbered(file, 1);
	assert_int_equal(fstat(file->fd, &st), 0);
	add_numbered(file, 2);
	assert_int_equal(ftruncate(file->fd, st.st_size + 7), 0);
	assert_success(load_at(file, "", &s, &origin));
	assert_int_equal(origin.frames, 1);
	assert_int_equal(origin.torn_bytes, 7);
	assert_fails(file, "@2", "absent", "another one after them is truncated");
	assert_int_equal(ftruncate(file->fd, 7), 0);
	assert_fails(file, "", "parse", "no complete snapshot: the only one is truncated");
}

static void a_damaged_snapshot_file_is_refused(void **state)
{
	const struct file *file = *state;
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;
	struct ctprof_snapshot_frame_size size;
	char byte;

	assert_fails(file, "", "parse", "is empty");
	fill_snapshot(&s);
	assert_success(ctprof_snapshot_write_frame(&s, file->fd, "test", &size));
	/* In the checksum: all else is as it was. */
	assert_int_equal(pread(file->fd, &byte, 1, (off_t)size.file_bytes - 1), 1);
	byte = (char)~byte;
	assert_int_equal(pwrite(file->fd, &byte, 1, (off_t)size.file_bytes - 1), 1);
	assert_fails(file, "", "parse", "decompress");
	assert_int_equal(ftruncate(file->fd, 0), 0);
	assert_int_equal(lseek(file->fd, 0, SEEK_SET), 0);
	add_bytes(file, "{\"threads\":[]}", 14);
	assert_fails(file, "", "parse", "is not a ctprof snapshot: no zstd frame at byte 0");
	assert_int_equal(ftruncate(file->fd, 0), 0);
	assert_int_equal(lseek(file->fd, 0, SEEK_SET), 0);
	add_text(file, "{\"captured_at_unix_ns\":1,\"threads\":[{\"tid\":1,\"tgid\":\"x\"}]}");
	assert_fails(file, "", "parse", "threads[0].tgid: expected a number, found a string");
	assert_fails(file, "", "parse", file->path);
}

static void a_missing_file_is_an_error_that_names_it(void **state UNUSED)
{
	struct ctprof_snapshot s;
	struct error *err = ctprof_snapshot_load("/nonexistent/x@2", NULL, &s, NULL);

	assert_int_equal(error_errno(err), ENOENT);
	assert_contains(error_message(err), "/nonexistent/x");
	error_free(err);
	assert_error_tag(ctprof_snapshot_load("/tmp", NULL, &s, NULL), "io");
}

static void loading_obeys_the_memory_limit_and_cancellation(void **state)
{
	const struct file *file = *state;
	struct cancel cancel = { .requested = true };
	struct ctprof_snapshot_load_options little = { .memory_bytes = 5000 };
	struct ctprof_snapshot_load_options cancelled = { .cancel = &cancel };
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;
	struct ctprof_snapshot back;

	fill_snapshot(&s);
	assert_success(ctprof_snapshot_write_frame(&s, file->fd, "test", NULL));
	assert_error_tag(ctprof_snapshot_load(file->path, &little, &back, NULL), "limit");
	assert_error_tag(ctprof_snapshot_load(file->path, &cancelled, &back, NULL), "cancelled");
}

static void *feed_pipe(void *arg)
{
	const int *fds = arg;
	char bytes[4096];
	ssize_t n;

	while ((n = read(fds[0], bytes, sizeof(bytes))) > 0) {
		if (write(fds[1], bytes, (size_t)n) != n)
			break;
	}
	close(fds[1]);
	return NULL;
}

/* ktstr ctprof show <(ssh host ktstr ctprof capture -o -) */
static void a_snapshot_can_be_read_from_a_pipe(void **state)
{
	const struct file *file = *state;
	int fds[2], feed[2];
	_cleanup_free_ char *name = NULL;
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s = { 0 };
	pthread_t thread;

	add_numbered(file, 1);
	add_numbered(file, 2);
	assert_int_equal(lseek(file->fd, 0, SEEK_SET), 0);
	assert_int_equal(pipe(fds), 0);
	feed[0] = file->fd;
	feed[1] = fds[1];
	assert_int_equal(pthread_create(&thread, NULL, feed_pipe, feed), 0);
	name = xasprintf("/dev/fd/%d@2", fds[0]);
	assert_success(ctprof_snapshot_load(name, NULL, &s, NULL));
	assert_int_equal(s.captured_at_unix_ns, 2);
	pthread_join(thread, NULL);
	close(fds[0]);
}

/* Long names, so that few threads have more JSON than one document may be long. */
static void more_json_than_fits_a_document_loads(void **state)
{
	const struct file *file = *state;
	_cleanup_free_ char *name = xcalloc(1, NAME_BYTES + 1);
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s, back = { 0 };
	struct ctprof_snapshot_frame_size size;
	struct metric_thread_sample sample;

	ctprof_snapshot_init(&s);
	memset(name, 'n', NAME_BYTES);
	sample = full_sample(&s, 1, 1);
	sample.comm = add_string(&s, name);
	sample.smaps = METRIC_SAMPLE_NO_ENTRY;
	sample.sources &= ~METRIC_SOURCE_BIT(SMAPS);
	for (uint32_t i = 1; i <= MANY; i++) {
		sample.tid = i;
		vec_push(&s.threads, sample);
	}
	assert_success(ctprof_snapshot_write_frame(&s, file->fd, "test", &size));
	assert_true(size.json_bytes > JSON_LIMIT_DOC_BYTES);
	assert_success(load_at(file, "", &back, NULL));
	assert_int_equal(back.threads.n, MANY);
	assert_int_equal(back.threads.at[MANY - 1].tid, MANY);
	assert_string_equal(intern_text(&back.strings, back.threads.at[MANY - 1].comm), name);
	assert_int_equal(back.threads.at[MANY - 1].values[METRIC_IRQ_DELAY_MIN_NS],
			 sample.values[METRIC_IRQ_DELAY_MIN_NS]);
}

/* As with < FILE and with a pipe. */
static void a_dash_is_standard_input(void **state)
{
	struct file *file = *state;
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot first = { 0 }, second = { 0 };
	_cleanup_ctprof_snapshot_origin_ struct ctprof_snapshot_origin origin = { 0 };
	_cleanup_close_ int before = dup(STDIN_FILENO);
	char bytes[4096];
	int ends[2];
	ssize_t n;

	add_numbered(file, 11);
	add_numbered(file, 12);
	assert_int_equal(lseek(file->fd, 0, SEEK_SET), 0);
	assert_true(dup2(file->fd, STDIN_FILENO) >= 0);
	assert_success(ctprof_snapshot_load("-", NULL, &first, &origin));
	assert_int_equal(first.captured_at_unix_ns, 11);
	assert_string_equal(origin.path, "standard input");
	n = pread(file->fd, bytes, sizeof(bytes), 0);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], bytes, (size_t)n), n);
	close(ends[1]);
	assert_true(dup2(ends[0], STDIN_FILENO) >= 0);
	close(ends[0]);
	assert_success(ctprof_snapshot_load("-@2", NULL, &second, NULL));
	assert_int_equal(second.captured_at_unix_ns, 12);
	if (before >= 0)
		assert_true(dup2(before, STDIN_FILENO) >= 0);
	else
		close(STDIN_FILENO);
}

int main(void)
{
#define TEST_(name) cmocka_unit_test_setup_teardown(name, with_file, without_file)
	const struct CMUnitTest tests[] = {
		TEST_(a_file_of_another_tool_loads),
		TEST_(at_number_selects_a_snapshot_of_a_series),
		TEST_(a_file_with_the_whole_name_comes_first),
		TEST_(an_incomplete_last_snapshot_is_reported_and_skipped),
		TEST_(a_damaged_snapshot_file_is_refused),
		TEST_(a_missing_file_is_an_error_that_names_it),
		TEST_(loading_obeys_the_memory_limit_and_cancellation),
		TEST_(a_snapshot_can_be_read_from_a_pipe),
		TEST_(a_dash_is_standard_input),
		TEST_(more_json_than_fits_a_document_loads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
