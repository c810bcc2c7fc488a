// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/ctprof/cmd_capture.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "stderr_text.h"
#include "unit.h"

static void assert_name(const char *host, uint64_t unix_sec, const char *expected)
{
	_cleanup_free_ char *name = snapshot_name_new(host, unix_sec);

	assert_string_equal(name, expected);
}

static void a_name_holds_host_and_time_in_utc(void **state UNUSED)
{
	setenv("TZ", "America/New_York", 1);
	assert_name("web-1.example", 1700000000, "web-1.example-20231114T221320Z.ctprof.zst");
}

static void odd_host_names_give_plain_file_names(void **state UNUSED)
{
	assert_name("a/b c\n", 0, "a_b_c_-19700101T000000Z.ctprof.zst");
	assert_name("", 0, "host-19700101T000000Z.ctprof.zst");
	assert_name(".hidden", 0, "host.hidden-19700101T000000Z.ctprof.zst");
	assert_name("-rf", 0, "host-rf-19700101T000000Z.ctprof.zst");
}

static void a_name_that_is_taken_gets_a_number(void **state UNUSED)
{
	char dir[] = "/tmp/ktstr-name-XXXXXX";
	char *names[20];

	assert_non_null(mkdtemp(dir));
	assert_int_equal(chdir(dir), 0);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		int fd;

		names[i] = snapshot_name_new("host", 1700000000);
		fd = open(names[i], O_WRONLY | O_CREAT | O_EXCL, 0600);
		assert_true(fd >= 0);
		close(fd);
	}
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		unlink(names[i]);
		free(names[i]);
	}
	assert_int_equal(chdir("/"), 0);
	rmdir(dir);
}

static void times_have_a_unit(void **state UNUSED)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} rows[] = {
		{ "500ms", 500 * NS_PER_MS }, { "2s", 2 * NS_PER_SEC },
		{ "1.5s", 1500 * NS_PER_MS }, { "0.25m", 15 * NS_PER_SEC },
		{ "1h", 3600 * NS_PER_SEC },  { "24h", 24 * 3600 * NS_PER_SEC },
		{ "1ms", NS_PER_MS },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t ns = 0;

		assert_true(interval_parse(rows[i].text, &ns));
		assert_int_equal(ns, rows[i].ns);
	}
}

static void malformed_intervals_are_refused(void **state UNUSED)
{
	static const char *const wrong[] = { "",
					     "5",
					     "s",
					     "0s",
					     "0.5ms",
					     "25h",
					     "1 s",
					     "-1s",
					     "1.s",
					     "1..5s",
					     ".5s",
					     "1.5.5s",
					     "2sec",
					     "1us",
					     "99999999999999999999s",
					     "1.99999999999999999999s" };
	uint64_t ns = 7;

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		if (interval_parse(wrong[i], &ns))
			fail_msg("'%s' was taken", wrong[i]);
	}
	assert_int_equal(ns, 7);
}

static void a_late_snapshot_does_not_shift_the_later_ones(void **state UNUSED)
{
	uint64_t slot = 0, missed = 0;

	assert_int_equal(interval_next(1000, 100, &slot, 1030, &missed), 1100);
	assert_int_equal(interval_next(1000, 100, &slot, 1199, &missed), 1200);
	/* Exactly now is not over. */
	assert_int_equal(interval_next(1000, 100, &slot, 1300, &missed), 1300);
	assert_int_equal(missed, 0);
	/* 1400 and 1500 passed while the snapshot was being taken. */
	assert_int_equal(interval_next(1000, 100, &slot, 1501, &missed), 1600);
	assert_int_equal(missed, 2);
	assert_int_equal(interval_next(1000, 100, &slot, 1610, &missed), 1700);
}

static void costs_add_up(void **state UNUSED)
{
	struct cost_clock since = cost_clock_read();
	struct ctprof_snapshot_frame_size size = { .json_bytes = 100, .file_bytes = 10 };
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;
	struct cost cost = { 0 };

	ctprof_snapshot_init(&s);
	vec_push(&s.threads, (struct metric_thread_sample){ .tid = 1 });
	cost_add(&cost, &since, &s, &size);
	cost_add(&cost, &since, &s, &size);
	assert_int_equal(cost.snapshots, 2);
	assert_int_equal(cost.threads, 2);
	assert_int_equal(cost.json_bytes, 200);
	assert_int_equal(cost.file_bytes, 20);
	assert_true(cost.wall_ns > 0);
}

static void work_takes_time_of_both_kinds(void **state UNUSED)
{
	struct cost_clock since = cost_clock_read(), now;
	volatile unsigned int sum = 0;

	do {
		for (unsigned int i = 0; i < 1000000; i++)
			sum += i;
		now = cost_clock_read();
	} while (now.cpu_ns - since.cpu_ns < 5 * NS_PER_MS);
	assert_true(now.wall_ns > since.wall_ns);
}

static void the_line_and_the_json_say_the_same(void **state UNUSED)
{
	const struct cost cost = { .snapshots = 1,
				   .threads = 3000,
				   .wall_ns = 250 * NS_PER_MS,
				   .cpu_ns = 125 * NS_PER_MS,
				   .json_bytes = 9 << 20,
				   .file_bytes = 512 << 10 };
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT, json = STRBUF_INIT;
	struct json_writer w = json_writer_to(&json, JSON_COMPACT);

	cost_format(&cost, &line);
	assert_string_equal(
		strbuf_str(&line),
		"ctprof cost: 250.0 ms wall, 125.0 ms CPU, 512.0 KiB written (9.0 MiB of JSON), 12000 threads/s");
	json_begin_object(&w);
	cost_write(&cost, &w);
	json_end_object(&w);
	assert_string_equal(
		strbuf_str(&json),
		"{\"threads\":3000,\"wall_ns\":250000000,\"cpu_ns\":125000000,\"json_bytes\":9437184,\"file_bytes\":524288,\"threads_per_second\":12000}");
}

static void no_time_has_no_rate(void **state UNUSED)
{
	const struct cost cost = { .threads = 5 };

	assert_int_equal(cost_threads_per_second(&cost), 0);
}

static const struct ctprof_progress progress = {
	.processes_done = 3, .processes_total = 10, .threads = 40, .stage = "threads"
};

static void progress_says_how_far_it_is(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT, little = STRBUF_INIT;

	screen_format_progress(&progress, &line);
	assert_string_equal(strbuf_str(&line), "threads: 3 of 10 processes, 40 threads");
	screen_format_progress(&(struct ctprof_progress){ .stage = "heap" }, &little);
	assert_string_equal(strbuf_str(&little), "heap");
}

static const char *shown(struct cli_screen *screen, struct stderr_text *text)
{
	stderr_text_begin(text);
	screen_progress(&progress, screen);
	screen_progress(&progress, screen);
	cli_screen_say(screen, "done\033[31m");
	return stderr_text_end(text);
}

static void only_terminals_see_progress_and_only_after_a_second(void **state UNUSED)
{
	struct stderr_text text;
	struct cli_screen screen;

	cli_screen_init(&screen, false, false);
	screen.began_ns = clock_monotonic_ns();
	assert_false(screen.terminal && !isatty(STDERR_FILENO));
	screen.terminal = false;
	screen.began_ns -= 2 * NS_PER_SEC;
	assert_string_equal(shown(&screen, &text), "done\\x1b[31m\n");
	screen.terminal = true;
	/* Once: the second follows too soon. It is taken away before the line. */
	assert_string_equal(
		shown(&screen, &text),
		"\rthreads: 3 of 10 processes, 40 threads\033[K\r\033[Kdone\\x1b[31m\n");
	screen.shown_ns = 0;
	screen.began_ns = clock_monotonic_ns();
	assert_string_equal(shown(&screen, &text), "done\\x1b[31m\n");
}

static void quiet_hides_progress_and_only_verbose_shows_notes(void **state UNUSED)
{
	struct stderr_text text;
	struct cli_screen screen;

	cli_screen_init(&screen, true, false);
	screen.terminal = true;
	assert_string_equal(shown(&screen, &text), "");
	cli_screen_init(&screen, false, false);
	stderr_text_begin(&text);
	screen_note("no BPF here", &screen);
	assert_string_equal(stderr_text_end(&text), "");
	cli_screen_init(&screen, false, true);
	stderr_text_begin(&text);
	screen_note("no BPF here", &screen);
	assert_string_equal(stderr_text_end(&text), "note: no BPF here\n");
}

/* A capture that takes no time, or as much as is told, and can be interrupted or fail. */
static struct {
	uint64_t n, fail_at, cancel_at, slow_at;
	struct cancel *cancel;
	uint64_t at_ns[16];
} fake;

static struct error *take(const struct ctprof_options *options UNUSED, struct ctprof_snapshot *ret)
{
	fake.at_ns[fake.n++] = clock_monotonic_ns();
	if (fake.n == fake.fail_at)
		return base_error(BASE_IO, EIO, "the fake failed");
	if (fake.n == fake.cancel_at)
		cancel_request(fake.cancel);
	if (fake.n == fake.slow_at)
		usleep(70000);
	ctprof_snapshot_init(ret);
	ret->captured_at_unix_ns = fake.n;
	return NULL;
}

struct run {
	char path[64];
	uint64_t seen, in_file;
	struct series series;
	struct error *err;
};

static struct run run(uint64_t count, uint64_t interval_ms)
{
	struct run r = { .path = "/tmp/ktstr-series-XXXXXX" };
	_cleanup_ctprof_snapshot_output_ struct ctprof_snapshot_output *output = NULL;
	struct ctprof_snapshot_origin origin = { 0 };
	struct cancel cancel = { 0 };
	struct ctprof_options options = { .cancel = &cancel };
	_cleanup_capture_report_ struct capture_report report;
	struct cli_screen screen;
	struct ctprof_snapshot s;
	struct stat st;

	cli_screen_init(&screen, true, false);
	close(mkstemp(r.path));
	assert_success(ctprof_snapshot_output_open(r.path, &output));
	fake.n = 0;
	fake.cancel = &cancel;
	r.series = (struct series){
		.options = &options,
		.interval_ns = interval_ms * NS_PER_MS,
		.count = count,
		.screen = &screen,
		.output = output,
		.take = take,
		.report = &report,
	};
	capture_report_init(&report, r.path, count);
	r.err = series_run(&r.series);
	/* Each is reported once, with its own cost. */
	for (const char *at = strbuf_str(&report.json);
	     (at = strstr(at, "\"captured_at_unix_ns\"")); at++)
		r.seen++;
	if (stat(r.path, &st) == 0 && st.st_size) {
		assert_success(ctprof_snapshot_load(r.path, NULL, &s, &origin));
		ctprof_snapshot_deinit(&s);
		r.in_file = origin.frames;
		assert_int_equal(origin.torn_bytes, 0);
		ctprof_snapshot_origin_deinit(&origin);
	}
	unlink(r.path);
	return r;
}

static void a_series_of_one_is_taken_without_waiting(void **state UNUSED)
{
	struct run r = run(1, 0);

	assert_null(r.err);
	assert_int_equal(r.seen, 1);
	assert_int_equal(r.in_file, 1);
	assert_int_equal(r.series.cost.snapshots, 1);
}

static void a_series_is_taken_at_even_distances(void **state UNUSED)
{
	struct run r = run(4, 20);

	assert_null(r.err);
	assert_int_equal(r.in_file, 4);
	assert_int_equal(r.series.cost.snapshots, 4);
	/* Never early; how late is the machine's business. */
	for (uint64_t i = 1; i < 4; i++)
		assert_true(fake.at_ns[i] - fake.at_ns[0] >= (i * 20 - 1) * NS_PER_MS);
}

static void a_missed_snapshot_time_is_counted_and_skipped(void **state UNUSED)
{
	struct run r;

	fake.slow_at = 1;
	r = run(2, 20);
	fake.slow_at = 0;
	assert_null(r.err);
	assert_true(r.series.missed >= 3);
	assert_int_equal(r.in_file, 2);
}

static void an_interrupted_series_keeps_what_was_whole(void **state UNUSED)
{
	struct run r;

	fake.cancel_at = 3;
	r = run(5, 1);
	fake.cancel_at = 0;
	assert_error_tag(r.err, "cancelled");
	assert_int_equal(r.seen, 2);
	assert_int_equal(r.in_file, 2);
	assert_int_equal(r.series.cost.snapshots, 2);
}

static void a_capture_that_fails_ends_it(void **state UNUSED)
{
	struct run r;

	fake.fail_at = 2;
	r = run(5, 1);
	fake.fail_at = 0;
	assert_error_tag(r.err, "io");
	assert_int_equal(r.in_file, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_holds_host_and_time_in_utc),
		cmocka_unit_test(odd_host_names_give_plain_file_names),
		cmocka_unit_test(a_name_that_is_taken_gets_a_number),
		cmocka_unit_test(times_have_a_unit),
		cmocka_unit_test(malformed_intervals_are_refused),
		cmocka_unit_test(a_late_snapshot_does_not_shift_the_later_ones),
		cmocka_unit_test(costs_add_up),
		cmocka_unit_test(work_takes_time_of_both_kinds),
		cmocka_unit_test(the_line_and_the_json_say_the_same),
		cmocka_unit_test(no_time_has_no_rate),
		cmocka_unit_test(progress_says_how_far_it_is),
		cmocka_unit_test(only_terminals_see_progress_and_only_after_a_second),
		cmocka_unit_test(quiet_hides_progress_and_only_verbose_shows_notes),
		cmocka_unit_test(a_series_of_one_is_taken_without_waiting),
		cmocka_unit_test(a_series_is_taken_at_even_distances),
		cmocka_unit_test(a_missed_snapshot_time_is_counted_and_skipped),
		cmocka_unit_test(an_interrupted_series_keeps_what_was_whole),
		cmocka_unit_test(a_capture_that_fails_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
