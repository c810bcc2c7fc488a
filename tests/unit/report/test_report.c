// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "report/form.h"
#include "stage.h"

static void formats_have_their_names(void **state UNUSED)
{
	static const char *const words[] = { "pretty", "ktap", "junit", "json" };

	assert_int_equal(ARRAY_SIZE(words), REPORT_N_FORMATS);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		assert_string_equal(report_format_names[i], words[i]);
	assert_null(report_format_names[REPORT_N_FORMATS]);
}

static void a_pipe_is_not_treated_as_a_terminal(void **state UNUSED)
{
	int ends[2];
	struct report_options options;

	assert_int_equal(pipe(ends), 0);
	options = report_options_for(ends[1]);
	assert_int_equal(options.fd, ends[1]);
	assert_false(options.terminal);
	assert_false(options.colour);
	close(ends[0]);
	close(ends[1]);
}

static void a_dumb_terminal_gets_no_live_line(void **state UNUSED)
{
	_cleanup_close_ int master = posix_openpt(O_RDWR | O_NOCTTY);
	_cleanup_close_ int slave = -1;

	skip_unless(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0,
		    "no pseudo terminal");
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	assert_true(slave >= 0);
	assert_int_equal(setenv("TERM", "xterm", 1), 0);
	unsetenv("NO_COLOR");
	assert_true(report_options_for(slave).terminal);
	assert_true(report_options_for(slave).colour);
	assert_int_equal(setenv("NO_COLOR", "1", 1), 0);
	assert_true(report_options_for(slave).terminal);
	assert_false(report_options_for(slave).colour);
	assert_int_equal(setenv("TERM", "dumb", 1), 0);
	assert_false(report_options_for(slave).terminal);
	unsetenv("TERM");
	assert_false(report_options_for(slave).terminal);
}

static void a_write_error_is_returned_at_the_end(void **state UNUSED)
{
	for (int f = 0; f < REPORT_N_FORMATS; f++) {
		_cleanup_report_reporter_ struct report_run *r = NULL;
		_cleanup_close_ int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
		_cleanup_result_outcome_ struct result_outcome o = made_outcome("f", "a");
		struct report_options options = { .fd = fd };
		struct error *err;

		assert_true(fd >= 0);
		assert_success(report_run_new((enum report_format)f, &options, &r));
		assert_success(report_run_begin(r, &(struct report_plan){ .n_tests = 1 }));
		assert_int_equal(report_run_failed(r), f != REPORT_JUNIT);
		report_run_finished(r, 0, &o);
		err = report_run_end(r, &(struct report_ending){ 0 });
		assert_non_null(err);
		assert_int_equal(error_errno(err), ENOSPC);
		error_free(err);
	}
}

static void after_a_refusal_nothing_more_is_written(void **state UNUSED)
{
	_cleanup_stage_ struct stage s = stage_for(REPORT_KTAP, 2);
	_cleanup_close_ int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	_cleanup_close_ int kept = dup(s.fd);

	assert_int_equal(stage_news(&s)[0], 'K');
	assert_int_equal(dup2(full, s.fd), s.fd);
	stage_finish(&s, 1, made_outcome("f", "lost"));
	assert_true(report_run_failed(s.r));
	assert_int_equal(dup2(kept, s.fd), s.fd);
	stage_finish(&s, 0, made_outcome("f", "a"));
	assert_string_equal(stage_news(&s), "");
	assert_error_tag(report_run_end(s.r, &(struct report_ending){ 0 }), "io");
}

static void a_file_is_replaced_whole_by_junit_and_filled_by_others(void **state UNUSED)
{
	char dir[] = "/tmp/ktstr-report-XXXXXX";
	_cleanup_free_ char *path = NULL;

	assert_non_null(mkdtemp(dir));
	path = xasprintf("%s/out", dir);
	for (int f = 0; f < REPORT_N_FORMATS; f++) {
		_cleanup_report_reporter_ struct report_run *r = NULL;
		_cleanup_strbuf_ struct strbuf during = STRBUF_INIT;
		_cleanup_strbuf_ struct strbuf after = STRBUF_INIT;
		struct report_options options = { .fd = -1, .path = path, .terminal = true };

		assert_success(io_replace_file(path, "old", 3));
		assert_success(report_run_new((enum report_format)f, &options, &r));
		assert_success(report_run_begin(r, &(struct report_plan){ .n_tests = 1 }));
		report_run_tick(r, NS_PER_SEC);
		assert_success(io_read_file(path, 1 << 20, &during));
		assert_int_equal(strcmp(strbuf_str(&during), "old") == 0, f == REPORT_JUNIT);
		assert_success(report_run_end(r, &(struct report_ending){ .interrupted = true }));
		assert_success(io_read_file(path, 1 << 20, &after));
		assert_null(strstr(strbuf_str(&after), "old"));
		assert_null(strchr(strbuf_str(&after), '\r'));
		assert_true(after.n > 10);
	}
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(dir), 0);
}

static void a_path_that_cannot_be_opened_is_refused_at_once(void **state UNUSED)
{
	struct report_options options = { .path = "/nonexistent/report" };
	struct report_run *r = NULL;

	assert_error_tag(report_run_new(REPORT_KTAP, &options, &r), "io");
	assert_null(r);
}

static void a_plan_past_the_limit_is_refused(void **state UNUSED)
{
	_cleanup_report_reporter_ struct report_run *r = NULL;

	assert_success(report_run_new(REPORT_KTAP, &(struct report_options){ .fd = -1 }, &r));
	assert_error_tag(
		report_run_begin(r, &(struct report_plan){ .n_tests = REPORT_LIMIT_TESTS + 1 }),
		"limit");
}

static void index_past_the_plan(struct report_run *r)
{
	report_run_started(r, 1, "x", 0);
}

static void finished_twice(struct report_run *r)
{
	struct result_outcome o = made_outcome("f", "a");

	report_run_finished(r, 0, &o);
	report_run_finished(r, 0, &o);
}

static void misusing_a_reporter_aborts(void **state UNUSED)
{
	static void (*const bugs[])(struct report_run *) = { index_past_the_plan, finished_twice };

	for (size_t i = 0; i < ARRAY_SIZE(bugs); i++) {
		_cleanup_stage_ struct stage s = stage_for(REPORT_KTAP, 1);
		pid_t pid = fork();
		int status;

		if (pid == 0) {
			signal(SIGABRT, SIG_DFL);
			bugs[i](s.r);
			_exit(0);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), SIGABRT);
	}
}

static void the_part_that_decided_is_found(void **state UNUSED)
{
	_cleanup_result_outcome_ struct result_outcome o = made_outcome("f", "a");

	assert_null(report_deciding_part(&o));
	result_outcome_add_part(&o, KTSTR_REASON_BOOT, NULL, 0, "x");
	result_outcome_add_part(&o, KTSTR_REASON_CHECK, NULL, 0, "x");
	result_outcome_settle(&o);
	assert_ptr_equal(report_deciding_part(&o), &o.parts.at[1]);
	o.why[0] = 'y';
	assert_null(report_deciding_part(&o));
}

enum { BYTES = 300000 };

struct reader {
	int fd;
	size_t n;
};

static void *read_all(void *context)
{
	struct reader *reader = context;
	char bytes[1000];
	ssize_t n;

	while ((n = read(reader->fd, bytes, sizeof(bytes))) > 0)
		reader->n += (size_t)n;
	return NULL;
}

static void check_all_arrives(int flags)
{
	char *bytes = calloc(1, BYTES);
	struct reader reader = { 0 };
	pthread_t thread;
	int ends[2];

	assert_non_null(bytes);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_int_equal(fcntl(ends[1], F_SETFL, flags), 0);
	reader.fd = ends[0];
	assert_int_equal(pthread_create(&thread, NULL, read_all, &reader), 0);
	assert_success(report_deliver(ends[1], "it", bytes, BYTES, NULL));
	close(ends[1]);
	pthread_join(thread, NULL);
	close(ends[0]);
	free(bytes);
	assert_int_equal(reader.n, BYTES);
}

static void a_slow_reader_gets_everything(void **state UNUSED)
{
	check_all_arrives(0);
}

static void a_nonblocking_pipe_gets_everything(void **state UNUSED)
{
	check_all_arrives(O_NONBLOCK);
}

static void cancelling_ends_the_wait_for_a_stuck_reader(void **state UNUSED)
{
	struct cancel cancel = { .deadline_ns = clock_monotonic_ns() + 20 * NS_PER_MS };
	char *bytes = calloc(1, BYTES);
	int ends[2];

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_error_tag(report_deliver(ends[1], "it", bytes, BYTES, &cancel), "cancelled");
	close(ends[0]);
	close(ends[1]);
	free(bytes);
}

static void after_a_cancel_output_that_fits_is_still_written(void **state UNUSED)
{
	struct cancel cancel = { 0 };
	char text[8] = "";
	int ends[2];

	cancel_request(&cancel);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_success(report_deliver(ends[1], "it", "hello", 5, &cancel));
	assert_int_equal(read(ends[0], text, sizeof(text)), 5);
	assert_string_equal(text, "hello");
	close(ends[0]);
	close(ends[1]);
}

static void a_descriptor_that_takes_nothing_is_an_error(void **state UNUSED)
{
	_cleanup_close_ int full = open("/dev/full", O_WRONLY | O_CLOEXEC);

	assert_error_tag(report_deliver(full, "it", "hello", 5, NULL), "io");
	assert_error_tag(report_deliver(1023, "it", "hello", 5, NULL), "io");
}

static void durations_are_printed_in_minutes_and_hours(void **state UNUSED)
{
	static const struct {
		uint64_t ms;
		const char *duration, *elapsed;
	} rows[] = {
		{ 0, "0.0 s", "0 s" },
		{ 99, "0.0 s", "0 s" },
		{ 5399, "5.3 s", "5 s" },
		{ 59999, "59.9 s", "59 s" },
		{ 60000, "60.0 s", "1 min 00 s" },
		{ 999999, "999.9 s", "16 min 39 s" },
		{ 1000000, "16 min 40 s", "16 min 40 s" },
		{ 3599999, "59 min 59 s", "59 min 59 s" },
		{ 3600000, "1 h 00 min", "1 h 00 min" },
		{ 7383000, "2 h 03 min", "2 h 03 min" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_strbuf_ struct strbuf duration = STRBUF_INIT;
		_cleanup_strbuf_ struct strbuf elapsed = STRBUF_INIT;

		report_format_duration(&duration, rows[i].ms * NS_PER_MS);
		report_format_elapsed(&elapsed, rows[i].ms * NS_PER_MS);
		assert_string_equal(strbuf_str(&duration), rows[i].duration);
		assert_string_equal(strbuf_str(&elapsed), rows[i].elapsed);
	}
}

static void counts_leave_out_what_did_not_happen(void **state UNUSED)
{
	static const struct {
		size_t counts[RESULT_N_VERDICTS];
		size_t n_tests;
		const char *text;
	} rows[] = {
		{ { 0 }, 0, "0 tests" },
		{ { [KTSTR_PASS] = 1 }, 1, "1 test: 1 passed" },
		{ { [KTSTR_PASS] = 9,
		    [KTSTR_FAIL] = 1,
		    [KTSTR_SKIP] = 1,
		    [KTSTR_INCONCLUSIVE] = 1 },
		  12,
		  "12 tests: 9 passed, 1 failed, 1 skipped, 1 inconclusive" },
		{ { [KTSTR_BROKEN] = 2 }, 5, "5 tests: 2 broken, 3 not run" },
		{ { 0 }, 3, "3 tests: 3 not run" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

		report_format_counts(&s, rows[i].counts, rows[i].n_tests);
		assert_string_equal(strbuf_str(&s), rows[i].text);
	}
}

static void every_format_says_the_clock_of_every_test(void **state UNUSED)
{
	static const char *const virtual[REPORT_N_FORMATS] = {
		[REPORT_PRETTY] = "    5.3 s  virtual, seed 3\n",
		[REPORT_KTAP] = "# clock: virtual, seed 3\nok 1 f:a\n",
		[REPORT_JUNIT] = "<property name=\"clock\" value=\"virtual, seed 3\"/>",
		[REPORT_JSON] = "\"clock\":\"virtual\",\"seed\":3,",
	};
	static const char *const real[REPORT_N_FORMATS] = {
		[REPORT_PRETTY] = "    5.3 s  real\n",
		[REPORT_KTAP] = "# clock: real\nok 2 f:b\n",
		[REPORT_JUNIT] = "<property name=\"clock\" value=\"real\"/>",
		[REPORT_JSON] = "\"clock\":\"real\",\"kernel\"",
	};

	for (int format = 0; format < REPORT_N_FORMATS; format++) {
		_cleanup_stage_ struct stage s = stage_with(
			(enum report_format)format, (struct report_options){ 0 },
			(struct report_plan){ .n_tests = 2, .jobs = 1, .clock = "virtual" });
		struct result_outcome a = made_outcome("f", "a"), b = made_outcome("f", "b");

		a.clock = (struct result_clock){ RESULT_CLOCK_VIRTUAL, 3 };
		b.clock = (struct result_clock){ .kind = RESULT_CLOCK_REAL };
		stage_finish(&s, 0, a);
		stage_finish(&s, 1, b);
		stage_end(&s);
		assert_contains(stage_text(&s), virtual[format] ? virtual[format] : "");
		assert_contains(stage_text(&s), real[format] ? real[format] : "");
	}
}

static void people_are_told_the_clock_first(void **state UNUSED)
{
	_cleanup_stage_ struct stage s = stage_with(
		REPORT_PRETTY, (struct report_options){ 0 },
		(struct report_plan){
			.n_tests = 1, .kernels = "6.1", .jobs = 2, .clock = "virtual" });

	assert_string_equal(stage_news(&s), "1 test on Linux 6.1, virtual clock, 2 at a time\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_format_says_the_clock_of_every_test),
		cmocka_unit_test(people_are_told_the_clock_first),
		cmocka_unit_test(formats_have_their_names),
		cmocka_unit_test(a_pipe_is_not_treated_as_a_terminal),
		cmocka_unit_test(a_dumb_terminal_gets_no_live_line),
		cmocka_unit_test(a_write_error_is_returned_at_the_end),
		cmocka_unit_test(after_a_refusal_nothing_more_is_written),
		cmocka_unit_test(a_file_is_replaced_whole_by_junit_and_filled_by_others),
		cmocka_unit_test(a_path_that_cannot_be_opened_is_refused_at_once),
		cmocka_unit_test(a_plan_past_the_limit_is_refused),
		cmocka_unit_test(misusing_a_reporter_aborts),
		cmocka_unit_test(the_part_that_decided_is_found),
		cmocka_unit_test(a_slow_reader_gets_everything),
		cmocka_unit_test(a_nonblocking_pipe_gets_everything),
		cmocka_unit_test(cancelling_ends_the_wait_for_a_stuck_reader),
		cmocka_unit_test(after_a_cancel_output_that_fits_is_still_written),
		cmocka_unit_test(a_descriptor_that_takes_nothing_is_an_error),
		cmocka_unit_test(durations_are_printed_in_minutes_and_hours),
		cmocka_unit_test(counts_leave_out_what_did_not_happen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
