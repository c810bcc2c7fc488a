// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/cancel.h"

#include "base/clock.h"
#include "unit.h"

static void a_null_cancel_is_never_requested(void **state UNUSED)
{
	assert_false(cancel_requested(NULL));
	assert_null(cancel_error(NULL, "work"));
}

static void request_is_seen(void **state UNUSED)
{
	struct cancel cancel = { 0 };

	assert_false(cancel_requested(&cancel));
	cancel_request(&cancel);
	assert_true(cancel_requested(&cancel));
	assert_error_tag(cancel_error(&cancel, "work"), "cancelled");
}

static void a_passed_deadline_counts_as_a_cancel_request(void **state UNUSED)
{
	struct cancel cancel = { .deadline_ns = 1 };

	assert_true(cancel_requested(&cancel));
}

static void deadline_in_the_future_is_not(void **state UNUSED)
{
	struct cancel cancel = { .deadline_ns = UINT64_MAX };

	assert_false(cancel_requested(&cancel));
}

static void sleep_lasts_at_least_as_long_as_asked(void **state UNUSED)
{
	struct cancel cancel = { 0 };
	uint64_t start_ns = clock_monotonic_ns();

	assert_true(cancel_sleep(&cancel, 25 * NS_PER_MS));
	assert_true(clock_monotonic_ns() - start_ns >= 25 * NS_PER_MS);
}

static void sleep_ends_when_already_cancelled(void **state UNUSED)
{
	struct cancel cancel = { .requested = true };

	/* An hour: a test that hangs here has found the bug. */
	assert_false(cancel_sleep(&cancel, 3600 * NS_PER_SEC));
}

static void sleep_ends_at_the_deadline(void **state UNUSED)
{
	struct cancel cancel = { .deadline_ns = clock_monotonic_ns() + 20 * NS_PER_MS };

	assert_false(cancel_sleep(&cancel, 3600 * NS_PER_SEC));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_null_cancel_is_never_requested),
		cmocka_unit_test(request_is_seen),
		cmocka_unit_test(a_passed_deadline_counts_as_a_cancel_request),
		cmocka_unit_test(deadline_in_the_future_is_not),
		cmocka_unit_test(sleep_lasts_at_least_as_long_as_asked),
		cmocka_unit_test(sleep_ends_when_already_cancelled),
		cmocka_unit_test(sleep_ends_at_the_deadline),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
