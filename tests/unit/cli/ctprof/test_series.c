// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/ctprof/cmd_capture.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "unit.h"

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

static void each(void *arg, const struct ctprof_snapshot *snapshot, const struct cost *cost)
{
	uint64_t *seen = arg;

	assert_int_equal(snapshot->captured_at_unix_ns, ++*seen);
	assert_int_equal(cost->snapshots, 1);
	assert_true(cost->file_bytes > 0);
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
		.each = each,
		.arg = &r.seen,
	};
	r.err = series_run(&r.series);
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

static void one_is_taken_at_once(void **state UNUSED)
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

static void a_moment_that_passed_is_counted_and_not_made_up_for(void **state UNUSED)
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
		cmocka_unit_test(one_is_taken_at_once),
		cmocka_unit_test(a_series_is_taken_at_even_distances),
		cmocka_unit_test(a_moment_that_passed_is_counted_and_not_made_up_for),
		cmocka_unit_test(an_interrupted_series_keeps_what_was_whole),
		cmocka_unit_test(a_capture_that_fails_ends_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
