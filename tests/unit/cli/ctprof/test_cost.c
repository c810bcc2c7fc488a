// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/ctprof/cmd_capture.h"

#include "base/clock.h"
#include "unit.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(costs_add_up),
		cmocka_unit_test(work_takes_time_of_both_kinds),
		cmocka_unit_test(the_line_and_the_json_say_the_same),
		cmocka_unit_test(no_time_has_no_rate),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
