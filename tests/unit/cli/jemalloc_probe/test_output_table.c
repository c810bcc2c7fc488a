// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/jemalloc_probe/jemalloc_probe.h"

#include "fake_engine.h"
#include "unit.h"

static const struct fake_thread threads[] = {
	{ .tid = 42,
	  .comm = "main",
	  .start_time_jiffies = 7,
	  .allocated_bytes = 16 << 20,
	  .deallocated_bytes = 1 << 20 },
	{ .tid = 43, .comm = "gone", .error_errno = ESRCH },
	{ .tid = 44, .start_time_jiffies = 7, .allocated_bytes = 1024, .deallocated_bytes = 3072 },
};

static char *format(const struct probe_report *report, size_t columns)
{
	struct strbuf text = STRBUF_INIT;

	output_table(report, &(struct text_look){ .columns = columns }, &text);
	return strbuf_take(&text);
}

static void one_snapshot_shows_bytes_and_their_difference(void **state UNUSED)
{
	_cleanup_(probe_report_deinit) struct probe_report report = fake_report(threads, 3, 1);
	_cleanup_free_ char *text = format(&report, 80);

	assert_string_equal(text, "pid 100, evidence: dwarf, no thread was stopped\n"
				  "TID  NAME  ALLOCATED    FREED  DIFFERENCE\n"
				  " 42  main   16.0 MiB  1.0 MiB    15.0 MiB\n"
				  " 44  -       1.0 KiB  3.0 KiB    -2.0 KiB\n");
}

static void several_snapshots_add_rates_over_the_whole_time(void **state UNUSED)
{
	struct probe_report report;
	_cleanup_free_ char *text = NULL;

	fake_engine.grows_by = 1 << 20;
	report = fake_report(threads, 1, 3);
	fake_engine.grows_by = 0;
	text = format(&report, 80);
	assert_string_equal(
		text, "pid 100, 3 snapshots in 2.0 s, evidence: dwarf, no thread was stopped\n"
		      "TID  NAME  ALLOCATED    FREED  DIFFERENCE  ALLOC RATE  FREE RATE\n"
		      " 42  main   18.0 MiB  1.0 MiB    17.0 MiB   1.0 MiB/s      0 B/s\n");
	probe_report_deinit(&report);
}

static void a_number_given_to_a_new_thread_is_another_row(void **state UNUSED)
{
	_cleanup_(probe_report_deinit) struct probe_report report = fake_report(threads, 1, 2);
	_cleanup_free_ char *text = NULL;

	report.snapshots.at[1].threads[0].start_time_jiffies = 8;
	report.snapshots.at[1].threads[0].allocated_bytes = 1 << 20;
	text = format(&report, 80);
	assert_contains(text, " 42  main   16.0 MiB  1.0 MiB    15.0 MiB           -          -\n"
			      " 42  main    1.0 MiB  1.0 MiB         0 B           -          -\n");
}

static void a_counter_that_shrank_has_no_rate(void **state UNUSED)
{
	_cleanup_(probe_report_deinit) struct probe_report report = fake_report(threads, 1, 2);
	_cleanup_free_ char *text = NULL;

	report.snapshots.at[1].threads[0].allocated_bytes = 5;
	text = format(&report, 80);
	assert_contains(text, " 42  main        5 B  1.0 MiB    -1.0 MiB           -      0 B/s\n");
}

static void stops_and_interruption_are_told(void **state UNUSED)
{
	_cleanup_(probe_report_deinit) struct probe_report report = fake_report(threads, 1, 0);
	_cleanup_free_ char *text = NULL;

	report.stopped_threads = 8;
	report.stopped_ns_total = 250000;
	report.interrupted = true;
	report.evidence = NULL;
	text = format(&report, 80);
	assert_string_equal(text, "pid 100, 8 stops, 250.0 us in all, interrupted\n");
}

static void a_narrow_terminal_cuts_the_name_and_no_number(void **state UNUSED)
{
	static const struct fake_thread named[] = {
		{ .tid = 42, .comm = "fifteen-letters", .allocated_bytes = 2048 },
	};
	_cleanup_(probe_report_deinit) struct probe_report report = fake_report(named, 1, 1);
	_cleanup_free_ char *text = format(&report, 40);

	assert_contains(text, "\n 42  fift…    2.0 KiB    0 B     2.0 KiB\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_snapshot_shows_bytes_and_their_difference),
		cmocka_unit_test(several_snapshots_add_rates_over_the_whole_time),
		cmocka_unit_test(a_number_given_to_a_new_thread_is_another_row),
		cmocka_unit_test(a_counter_that_shrank_has_no_rate),
		cmocka_unit_test(stops_and_interruption_are_told),
		cmocka_unit_test(a_narrow_terminal_cuts_the_name_and_no_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
