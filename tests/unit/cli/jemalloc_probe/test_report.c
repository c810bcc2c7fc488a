// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/jemalloc_probe/report.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_thread_read_is_enough),
		cmocka_unit_test(errors_and_emptiness_are_not_a_reading),
		cmocka_unit_test(a_refusal_is_told_from_a_death),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
