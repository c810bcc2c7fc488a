// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/jemalloc_probe/jemalloc_probe.h"

#include "fake_engine.h"
#include "unit.h"

static const struct fake_thread good[] = { { .tid = 1, .allocated_bytes = 10 } };
static const struct fake_thread mixed[] = { { .tid = 1, .error_errno = ESRCH },
					    { .tid = 2, .allocated_bytes = 10 } };
static const struct fake_thread gone[] = { { .tid = 1, .error_errno = ESRCH },
					   { .tid = 2, .error_errno = ESRCH } };
static const struct fake_thread refused[] = { { .tid = 1, .error_errno = EPERM } };

static void assert_report(const struct fake_thread *threads, size_t n_threads, size_t n_snapshots,
			  bool any_read, bool any_refused)
{
	_cleanup_(probe_report_deinit) struct probe_report report = fake_report(threads, n_threads,
										n_snapshots);

	assert_int_equal(probe_report_any_read(&report), any_read);
	assert_int_equal(probe_report_any_refused(&report), any_refused);
}

static void one_thread_read_is_enough(void **state UNUSED)
{
	assert_report(good, 1, 1, true, false);
	assert_report(mixed, 2, 1, true, false);
	assert_report(mixed, 2, 3, true, false);
}

static void errors_and_emptiness_are_not_a_reading(void **state UNUSED)
{
	assert_report(gone, 2, 1, false, false);
	assert_report(gone, 2, 3, false, false);
	assert_report(good, 0, 2, false, false);
	assert_report(good, 1, 0, false, false);
}

static void a_refusal_is_told_from_a_death(void **state UNUSED)
{
	assert_report(refused, 1, 2, false, true);
}

static void a_snapshot_cut_short_is_not_a_failed_one(void **state UNUSED)
{
	_cleanup_(probe_report_deinit) struct probe_report report = fake_report(gone, 2, 2);

	assert_int_equal(probe_report_whole_snapshots(&report), 2);
	report.snapshots.at[1].interrupted = true;
	assert_int_equal(probe_report_whole_snapshots(&report), 1);
	report.snapshots.at[0].interrupted = true;
	assert_int_equal(probe_report_whole_snapshots(&report), 0);
}

static void zeroes_are_told_from_errors(void **state UNUSED)
{
	static const struct fake_thread idle[] = { { .tid = 1 }, { .tid = 2, .error_errno = 1 } };
	static const struct {
		const struct fake_thread *threads;
		size_t n;
		bool all_zero;
	} rows[] = {
		{ idle, 2, true }, { gone, 2, false }, { mixed, 2, false }, { good, 1, false }
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(probe_report_deinit) struct probe_report report = fake_report(
			rows[i].threads, rows[i].n, 1);

		assert_int_equal(probe_report_all_zero(&report), rows[i].all_zero);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_thread_read_is_enough),
		cmocka_unit_test(errors_and_emptiness_are_not_a_reading),
		cmocka_unit_test(a_refusal_is_told_from_a_death),
		cmocka_unit_test(a_snapshot_cut_short_is_not_a_failed_one),
		cmocka_unit_test(zeroes_are_told_from_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
